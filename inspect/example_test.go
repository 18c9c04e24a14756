package inspect_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

func ExampleHandler() {
	calls := hashedwheel.MustNew()
	defer calls.StopAll()

	http.Handle("/debug/timers", inspect.Handler(map[string]*hashedwheel.Timer{"calls": calls}))
}

// A program reads the report, which is JSON.
func ExampleHandler_json() {
	sessions := hashedwheel.MustNew()
	defer sessions.StopAll()
	for range 3 {
		sessions.AfterFunc(time.Hour, new(session).expire)
	}
	server := httptest.NewServer(inspect.Handler(map[string]*hashedwheel.Timer{"sessions": sessions}))
	defer server.Close()

	resp, err := server.Client().Get(server.URL + "?format=json")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	var report struct {
		Timers []struct {
			Name  string
			Stats struct{ Pending int }
			Tasks []struct {
				Name  string
				Count int
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&report); err != nil {
		fmt.Println(err)
		return
	}
	for _, timer := range report.Timers {
		fmt.Println(timer.Name, timer.Stats.Pending, timer.Tasks)
	}
	// Output: sessions 3 [{inspect_test.(*session).expire 3}]
}
