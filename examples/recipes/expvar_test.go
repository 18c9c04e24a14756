package recipes_test

import (
	"encoding/json"
	"expvar"
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// Package expvar publishes the Stats on its page /debug/vars.
func Example_expvar() {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	expvar.Publish("timeouts", expvar.Func(func() any { return tm.Stats() }))

	tm.AfterFunc(time.Hour, func() {})
	var page struct {
		Pending int
		Overdue time.Duration `json:"overdue_ns"`
	}
	if err := json.Unmarshal([]byte(expvar.Get("timeouts").String()), &page); err != nil {
		fmt.Println(err)
	}
	fmt.Println(page.Pending, "pending, overdue:", page.Overdue)
	// Output: 1 pending, overdue: 0s
}
