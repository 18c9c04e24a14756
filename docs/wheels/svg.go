package wheels

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// All colors are seen on white and on black, since an image in a document can be
// on either.
const (
	grey   = "#768390"
	blue   = "#1f6feb"
	orange = "#db6d28"

	left    = 136 // where boxes begin
	box     = 60  // wide, if it holds a timeout
	chip    = 18  // high
	spacing = 6
)

// canvas is a drawing that grows downward, and to the right as far as it is drawn on.
type canvas struct {
	strings.Builder
	y, right int
}

// SVG draws the three states of a design one below the other.
func (d Drawing) SVG() string {
	c := new(canvas)
	for _, f := range d.Play.Frames {
		c.y += 24
		c.text(8, c.y, "start", "t", f.Title)
		c.y += 8
		for _, r := range f.Rows {
			c.row(r)
		}
	}
	c.y += 26
	c.text(8, c.y, "start", "t", fmt.Sprintf("in all: %d visits, woken %d times", d.Play.Visits, d.Play.Wakes))
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" `+
		`role="img" font-family="Helvetica, Arial, sans-serif">
<title>%[3]s</title>
<style>text{font-size:12px;fill:%[4]s}.t{font-weight:bold}.i{font-size:10px}`+
		`.c{fill:#fff;font-size:11px;font-weight:bold}.n{font-size:9px}`+
		`rect,line{stroke:%[4]s;fill:none}.k{fill:%[5]s;stroke:none}.g{stroke-dasharray:2 3}.h{fill:%[6]s}</style>
`, c.right+8, c.y+14, html.EscapeString(d.Title), grey, blue, orange) + c.String() + "</svg>\n"
}

func (c *canvas) row(r Row) {
	switch {
	case r.Tree:
		c.tree(r)
	case r.Size > 0:
		c.ring(r)
	default:
		c.list(r)
	}
}

func (c *canvas) text(x, y int, anchor, class, s string) {
	if anchor == "start" {
		c.right = max(c.right, x+7*len(s)) // more than a letter takes on average
	}
	const element = "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" class=\"%s\">%s</text>\n"
	fmt.Fprintf(c, element, x, y, anchor, class, html.EscapeString(s))
}

func (c *canvas) line(x1, y1, x2, y2 int) {
	fmt.Fprintf(c, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", x1, y1, x2, y2)
}

func (c *canvas) rect(x, y, w, h int, class string) {
	c.right = max(c.right, x+w)
	fmt.Fprintf(c, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" class=\"%s\"/>\n", x, y, w, h, class)
}

// timeout draws a timeout that is due at some tick.
func (c *canvas) timeout(x, y int, due string) {
	c.rect(x+3, y, box-6, chip, "k")
	class := "c"
	if len(due) > 7 {
		class = "c n" // or it would not fit
	}
	c.text(x+box/2, y+13, "middle", class, due)
}

// list draws timeouts one after another, linked.
func (c *canvas) list(r Row) {
	c.y += spacing
	c.text(8, c.y+14, "start", "", r.Name)
	x := left
	for i, s := range r.Slots {
		if i > 0 {
			c.line(x-spacing-6, c.y+chip/2, x+2, c.y+chip/2)
			x += spacing
		}
		c.timeout(x, c.y, s.Timeouts[0])
		x += box + spacing
	}
	c.y += chip + spacing
}

// tree draws a heap: whatever stands below another is due no earlier.
func (c *canvas) tree(r Row) {
	const high = 34
	c.y += spacing
	c.text(8, c.y+14, "start", "", r.Name)
	at := func(i int) (x, y int) {
		first, depth := 0, 0
		for i >= 2*first+1 {
			first, depth = 2*first+1, depth+1
		}
		wide := 8 * (box + spacing) / (first + 1)
		return left + 40 + (i-first)*wide + wide/2, c.y + depth*high
	}
	bottom := c.y
	for i, s := range r.Slots {
		x, y := at(i)
		if i > 0 {
			px, py := at((i - 1) / 2)
			c.line(px, py+chip, x, y)
		}
		if r.Ticks {
			c.rect(x-box/2+3, y, box-6, chip, "")
			c.text(x, y+13, "middle", "", s.Timeouts[0])
		} else {
			c.timeout(x-box/2, y, s.Timeouts[0])
		}
		bottom = y + chip
	}
	c.y = max(bottom, c.y+chip) + spacing
}

// ring draws a wheel unrolled. Empty slots of a large one are drawn as one.
func (c *canvas) ring(r Row) {
	most := 1
	for _, s := range r.Slots {
		most = max(most, len(s.Timeouts))
	}
	high := most*(chip+3) + 3
	c.y += 14
	c.text(8, c.y+high/2+4, "start", "", r.Name)
	x, next := left, 0
	gap := func(end int) {
		if n := end - next; n > 0 {
			x += c.empty(x, high, next, n, r.Size)
		}
	}
	for _, s := range withHand(r) {
		gap(s.Index)
		c.text(x+box/2, c.y-3, "middle", "i", fmt.Sprint(s.Index))
		if s.Index == r.Hand {
			fmt.Fprintf(c, "<path d=\"M%d %dh10l-5 8z\" class=\"h\"/>\n", x+box/2-22, c.y-11)
		}
		c.rect(x, c.y, box, high, "")
		for i, due := range s.Timeouts {
			c.timeout(x, c.y+3+i*(chip+3), due)
		}
		x += box
		next = s.Index + 1
	}
	gap(r.Size)
	c.y += high + 2
}

// withHand returns a ring's slots, with that of the hand among them.
func withHand(r Row) []Slot {
	at := 0
	for at < len(r.Slots) && r.Slots[at].Index < r.Hand {
		at++
	}
	if at < len(r.Slots) && r.Slots[at].Index == r.Hand {
		return r.Slots
	}
	return slices.Insert(slices.Clone(r.Slots), at, Slot{Index: r.Hand})
}

// empty draws n empty slots, and returns how wide that is.
func (c *canvas) empty(x, high, first, n, size int) int {
	if size > 8 {
		const wide = 42
		c.rect(x, c.y, wide, high, "g")
		c.text(x+wide/2, c.y+high/2+4, "middle", "i", fmt.Sprint("… ", n))
		return wide
	}
	for i := range n {
		c.text(x+i*box+box/2, c.y-3, "middle", "i", fmt.Sprint(first+i))
		c.rect(x+i*box, c.y, box, high, "")
	}
	return n * box
}
