package keyed

// An Option is given to New or NewRenewing.
type Option func(*options)

type options struct {
	name string
}

func collect(maker string, opts []Option) (o options) {
	for _, opt := range opts {
		if opt == nil {
			panic("keyed: " + maker + " with a nil Option")
		}
		opt(&o)
	}
	return o
}

// WithName gives a Map a name: String prints it, and package inspect and Timeout.String show the map's entries under
// it. Without a name they are shown with their types, such as "entry of keyed.Map[string,*main.Session]".
func WithName(name string) Option {
	return func(o *options) { o.name = name }
}
