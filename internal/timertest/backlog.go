package timertest

import "github.com/hashedwheel/hashedwheel/internal/limits"

// Backlog is how many armings in a row producers leave to the worker, which files them in one
// drain; with -tags small, in several.
const Backlog = min(20*limits.Drain, limits.Deep/2)
