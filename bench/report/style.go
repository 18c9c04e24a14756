package report

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func gray(v uint8) color.Color { return color.RGBA{v, v, v, 0xff} }

func rgb(hex uint32) color.Color {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

// Colors of the peers, those of Okabe and Ito as far as they go, which the color
// blind can tell apart; red is ours alone.
var colors = map[string]color.Color{
	"std":           gray(0),
	"std-context":   gray(0x55),
	"std-after":     gray(0x99),
	"timingwheel":   rgb(0x0072b2),
	"antlabs-wheel": rgb(0x009e73),
	"antlabs-heap":  rgb(0x7fbf5f),
	"ouqiang":       rgb(0xe69f00),
	"go-zero":       rgb(0x56b4e9),
	"gost":          rgb(0x8c564b),
	"nats-thw":      rgb(0xcc79a7),
	"list":          rgb(0x7a6040),
	"heap":          rgb(0x5f5fa8),
	"rounds":        rgb(0x3f7f7f),
	"hierarchy":     rgb(0x8a4f6f),
}

var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}, draw.RingGlyph{}, draw.PyramidGlyph{},
}

const ours = "hashedwheel"

var dashed = []vg.Length{5, 3}

// styleOf gives ours a thick red line, the standard library a black one, other
// peers a color of their own, and the classic designs dashes.
func styleOf(peer string) (draw.LineStyle, draw.GlyphStyle) {
	l := draw.LineStyle{Color: gray(0x77), Width: 1.5}
	g := draw.GlyphStyle{Radius: 2.6, Shape: glyphs[len(peer)%len(glyphs)]}
	if c, ok := colors[peer]; ok {
		l.Color = c
	}
	switch {
	case peer == ours:
		l.Color, l.Width, g.Radius, g.Shape = rgb(0xd00020), 3.6, 4, draw.CircleGlyph{}
	case strings.HasPrefix(peer, ours):
		l.Color, l.Width = rgb(0xe86070), 2
	case peer == base:
		l.Width, g.Radius, g.Shape = 2.6, 3.2, draw.SquareGlyph{}
	case strings.HasPrefix(peer, "netty") || strings.HasPrefix(peer, "java-"):
		l.Color, l.Dashes = rgb(0x3344aa), []vg.Length{2, 2}
	case peer == "list" || peer == "heap" || peer == "rounds" || peer == "hierarchy":
		l.Dashes = dashed
	}
	g.Color = l.Color
	return l, g
}
