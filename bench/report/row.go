// Package report turns what was measured into CSV, Markdown and plots.
package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
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

// Whole is the Figure of a Row whose mark stands for all figures of the case:
// the peer failed, or has no part in it.
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

// WriteCSV writes rows below a heading of comment lines.
func WriteCSV(w io.Writer, about []string, rows []Row) error {
	for _, line := range about {
		if _, err := fmt.Fprintln(w, "#", line); err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	_ = out.Write(columns) // Error has it
	for _, r := range rows {
		_ = out.Write(r.Fields())
	}
	out.Flush()
	return out.Error()
}

// AboutCSV returns the heading of what WriteCSV wrote.
func AboutCSV(text string) (about []string) {
	for line := range strings.Lines(text) {
		if line, ok := strings.CutPrefix(line, "# "); ok {
			about = append(about, strings.TrimSuffix(line, "\n"))
		}
	}
	return about
}

// ReadCSV reads what WriteCSV wrote.
func ReadCSV(r io.Reader) (rows []Row, err error) {
	in := csv.NewReader(r)
	in.Comment = '#'
	lines, err := in.ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	for _, fields := range lines[1:] {
		row, err := ParseRow(fields)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
