// Command change measures the tests: it changes a line of the library, runs the tests until one fails, and goes on
// with the next change. It is run in the root.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hashedwheel/hashedwheel/internal/mistakes"
)

var (
	drawn = flag.String("list", "", "file of the changes, which are drawn if it is missing")
	out   = flag.String("out", "", "file of the outcomes; a change that has one is not made again")
	n     = flag.Int("n", 100, "number of changes that are drawn")
	seed  = flag.Uint64("seed", 1, "of the drawing")
	tests = flag.String("tests", ". ./internal/... ./keyed ./inspect ./wheeltime ./verify/fuzz ./verify/chaos "+
		"./verify/series ./verify/promises ./verify/faults ./idle",
		"packages that are tested, in this order")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	const name = `{{if .Module}}{{range .GoFiles}}{{slice $.Dir (len $.Module.Dir)}}/{{.}}{{"\n"}}{{end}}{{end}}`
	files, err := goCommand(change{}, "list", "-f", name, "-deps", ".", "./keyed", "./idle", "./inspect", "./wheeltime")
	check(err)
	var possible []change
	for _, file := range strings.Fields(files) {
		text, err := os.ReadFile("." + file)
		check(err)
		possible = append(possible, changesOf(file[1:], string(text))...)
	}
	keys, err := os.ReadFile(*drawn)
	if err != nil {
		keys = []byte(draw(possible))
		check(os.WriteFile(*drawn, keys, 0o644))
	}
	if without := outcome(change{}); !strings.HasPrefix(without, "passed") {
		log.Fatal("without a change: ", without)
	}
	outcomes, _ := os.ReadFile(*out) // if there are any
	for i, key := range strings.Split(strings.TrimSpace(string(keys)), "\n") {
		id := fmt.Sprintf("%d\t", i+1)
		if strings.Contains("\n"+string(outcomes), "\n"+id) {
			continue
		}
		c, found := change{}, "gone\t-\t-"
		if at := slices.IndexFunc(possible, func(c change) bool { return c.key == key }); at >= 0 {
			c, found = possible[at], outcome(possible[at])
		}
		k := strings.Split(key, "\t")
		outcomes = fmt.Appendf(outcomes, "%s%s:%d %s\t%s\t`%s` → `%s`\t%s\n",
			id, k[0], c.line, k[1], k[2], k[3], k[4], found)
		check(os.WriteFile(*out, outcomes, 0o644))
	}
}

// change is a change of one line.
type change struct {
	key        string // file, function, kind, the line before and after, and the number among equal ones
	line       int
	file, text string // the file, and its text after the change
}

var skipped = regexp.MustCompile(`\n|\.check\(\)$`) // several lines, and calls that a build tag turns on

// changesOf returns all changes of a file.
func changesOf(file, text string) (all []change) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	check(err)
	equal := make(map[string]int)
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Name.Name == "String" || file == "invariants.go" {
			continue
		}
		replace := func(kind string, from, to token.Pos, by string) {
			i, j := from-parsed.FileStart, to-parsed.FileStart
			if skipped.MatchString(text[i:j]) {
				return
			}
			after := text[:i] + strings.ReplaceAll(by, "OLD", text[i:j]) + text[j:]
			line := strings.Count(text[:i], "\n") + 1
			key := strings.Join([]string{file, mistakes.NameOf(f), kind, lineOf(text, line), lineOf(after, line)}, "\t")
			equal[key]++
			all = append(all, change{fmt.Sprintf("%s\t%d", key, equal[key]), line, file, after})
		}
		for n := range ast.Preorder(f.Body) {
			eachIn(n, replace)
		}
	}
	return all
}

func lineOf(text string, i int) string {
	return strings.Join(strings.Fields(strings.Split(text, "\n")[i-1]), " ")
}

var swaps = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.LAND: "||", token.LOR: "&&", token.ADD: "-", token.SUB: "+",
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.INC: "--", token.DEC: "++",
}

// eachIn calls replace for each change of a node: an operator is swapped, an if negated, or a statement left out.
func eachIn(n ast.Node, replace func(kind string, from, to token.Pos, by string)) {
	swap := func(op token.Token, at token.Pos) {
		if by, ok := swaps[op]; ok {
			replace(op.String(), at, at+token.Pos(len(op.String())), by)
		}
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		swap(n.Op, n.OpPos)
	case *ast.IncDecStmt:
		swap(n.Tok, n.TokPos)
	case *ast.AssignStmt:
		swap(n.Tok, n.TokPos)
	case *ast.IfStmt:
		if b, ok := n.Cond.(*ast.BinaryExpr); !ok || b.Op != token.EQL && b.Op != token.NEQ { // which are swapped
			replace("if", n.Cond.Pos(), n.Cond.End(), "!(OLD)")
		}
	}
	if _, ok := n.(ast.Stmt); ok {
		replace("left out", n.Pos(), n.End(), "")
	}
}

// draw returns the keys of n changes that compile.
func draw(possible []change) (keys string) {
	for _, i := range rand.New(rand.NewPCG(*seed, 0)).Perm(len(possible)) {
		if strings.Count(keys, "\n") == *n {
			break
		}
		if _, err := goCommand(possible[i], "build", "./"+path.Dir(possible[i].file)); err == nil {
			keys += possible[i].key + "\n"
		}
	}
	return keys
}

var failed = regexp.MustCompile(`(?m)^(?:--- FAIL:|panic: test (timed out).*\n\trunning tests:)\s+(\S+)|` +
	`^(?:panic|fatal error):[^\x00]*?\.((?:Test|Fuzz|Example)\w+)|^((?:panic|fatal error|goleak|FAIL).*)`)

// outcome is a verdict, and the package and the test that found the change: once, if it passed when it ran again.
func outcome(c change) string {
	for _, p := range strings.Fields(*tests) {
		test := []string{"test", "-short", "-failfast", "-vet=off", "-timeout=120s", p}
		text, err := goCommand(c, test...)
		if err == nil {
			continue
		}
		by := failed.FindStringSubmatch(text)
		if by == nil {
			log.Fatal(err, "\n", text)
		}
		verdict := "found"
		if by[1] != "" {
			verdict = "timed out"
		} else if _, err := goCommand(c, test...); err == nil {
			verdict = "found once"
		}
		return strings.Join([]string{verdict, p, by[2] + by[3] + by[4]}, "\t")
	}
	return "passed\t-\t-"
}

// goCommand runs the go command on the library with the change. None of its processes gets more than 4 GiB.
func goCommand(c change, args ...string) (output string, err error) {
	dir, err := os.MkdirTemp("", "change")
	check(err)
	defer os.RemoveAll(dir)
	files := map[string]string{c.file: c.text}
	delete(files, "") // no change
	overlay, err := mistakes.WriteOverlay(files, ".", dir)
	check(err)
	args = slices.Insert(args, 1, "-tags=small", "-overlay="+overlay)
	args = append([]string{"-c", `ulimit -v 4194304; exec go "$@"`, "go"}, args...)
	text, err := exec.Command("sh", args...).CombinedOutput()
	return string(text), err
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
