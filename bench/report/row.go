// Package report writes measured rows as CSV, Markdown and plots.
package report

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// A Row is one figure of one peer in one round: a line of the CSV file.
type Row struct {
	Load, Case, Peer string
	Round            int
	Figure, Unit     string
	Value            float64 // NaN if there is only a mark
	Mark             string
}

// Whole is the Figure of a Row whose mark stands for all figures of the case: the peer
// failed or was not measured.
const Whole = "*"

var columns = []string{"load", "case", "peer", "round", "figure", "unit", "value", "mark"}

// Fields returns the row as fields of a CSV line.
func (r Row) Fields() []string {
	value := ""
	if !math.IsNaN(r.Value) {
		value = strconv.FormatFloat(r.Value, 'g', 6, 64)
	}
	return []string{r.Load, r.Case, r.Peer, strconv.Itoa(r.Round), r.Figure, r.Unit, value, r.Mark}
}

// ParseRow is the reverse of Fields.
func ParseRow(fields []string) (Row, error) {
	if len(fields) != len(columns) {
		return Row{}, fmt.Errorf("report: %d fields, not %d", len(fields), len(columns))
	}
	round, err := strconv.Atoi(fields[3])
	if err != nil {
		return Row{}, fmt.Errorf("report: round: %w", err)
	}
	value := math.NaN()
	if fields[6] != "" {
		if value, err = strconv.ParseFloat(fields[6], 64); err != nil {
			return Row{}, fmt.Errorf("report: value: %w", err)
		}
	}
	return Row{fields[0], fields[1], fields[2], round, fields[4], fields[5], value, fields[7]}, nil
}

// WriteRows writes a compressed CSV file: rows below a heading of comment lines.
func WriteRows(file string, about []string, rows []Row) error {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	for _, line := range about {
		fmt.Fprintln(zip, "#", line) // a Buffer does not fail
	}
	out := csv.NewWriter(zip)
	_ = out.Write(columns)
	for _, r := range rows {
		_ = out.Write(r.Fields())
	}
	out.Flush()
	if err := zip.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// ReadRows reads what WriteRows wrote.
func ReadRows(file string) (about []string, rows []Row, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(string(text)) {
		if line, ok := strings.CutPrefix(line, "# "); ok {
			about = append(about, strings.TrimSuffix(line, "\n"))
		}
	}
	in := csv.NewReader(bytes.NewReader(text))
	in.Comment = '#'
	lines, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	for _, fields := range lines[min(1, len(lines)):] {
		row, err := ParseRow(fields)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, row)
	}
	return about, rows, nil
}
