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

// Colors of the peers, from the palette of Okabe and Ito for color-blind readers. Red is
// ours alone.
var colors = map[string]color.Color{
	"std":         gray(0),
	"std-context": gray(0x55),
	"timingwheel": rgb(0x0072b2),
	"go-zero":     rgb(0x56b4e9),
	"nats-thw":    rgb(0xcc79a7),
	"list":        rgb(0x7a6040),
	"heap":        rgb(0x5f5fa8),
	"rounds":      rgb(0x3f7f7f),
	"hierarchy":   rgb(0x8a4f6f),
}

var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}, draw.RingGlyph{}, draw.PyramidGlyph{},
}

const ours = "hashedwheel"

// theme has the colors of a page.
type theme struct {
	paper, ink, grid color.Color
	dark             bool
}

func themeOf(dark bool) theme {
	if dark {
		return theme{rgb(0x0d1117), rgb(0xe6edf3), rgb(0x30363d), true}
	}
	return theme{gray(0xff), gray(0), gray(0xe0), false}
}

// on returns a color for the theme's paper: on dark paper a lighter one.
func (t theme) on(c color.Color) color.Color {
	if !t.dark {
		return c
	}
	r, g, b, _ := c.RGBA()
	if r+g+b == 0 {
		return t.ink
	}
	lighter := func(v uint32) uint8 { return uint8((3*(v>>8) + 2*0xff) / 5) }
	return color.RGBA{lighter(r), lighter(g), lighter(b), 0xff}
}

// styleOf returns a thick red line for ours, one in ink for package time, other
// colors for other peers, and dashes for the classic designs.
func (t theme) styleOf(peer string) (draw.LineStyle, draw.GlyphStyle) {
	l := draw.LineStyle{Color: gray(0x77), Width: 1.5}
	g := draw.GlyphStyle{Radius: 2.6, Shape: glyphs[len(peer)%len(glyphs)]}
	if own, ok := colors[peer]; ok {
		l.Color = own
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
		l.Dashes = []vg.Length{5, 3}
	}
	l.Color = t.on(l.Color)
	g.Color = l.Color
	return l, g
}
