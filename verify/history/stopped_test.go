package main

import (
	"testing"

	"github.com/hashedwheel/hashedwheel"
)

func TestSpecificationOfTimerStop(t *testing.T) {
	testRows(t, 0, []row{
		{"what is pending is returned", []event{during(0, 9, arms(100)), during(50, 59, timerStops(1))}, allowed},
		{"what is pending is left out", []event{during(0, 9, arms(100)), during(50, 59, timerStops(0))}, illegal},
		{"what is left out runs", []event{during(0, 9, arms(100)), during(50, 59, timerStops(0)), runs(110)}, illegal},
		{"what is with the executor is left out and runs", []event{
			during(0, 9, arms(100)), during(150, 159, timerStops(0)), runs(170),
		}, allowed},
		{"what is returned runs", []event{
			during(0, 9, arms(100)), during(150, 159, timerStops(1)), runs(170),
		}, illegal},
		{"it is returned twice", []event{during(0, 9, arms(100)), during(50, 59, timerStops(2))}, illegal},
		{"two calls return it", []event{
			during(0, 9, arms(100)), during(50, 59, timerStops(1)), during(52, 61, timerStops(1)),
		}, illegal},
		{"a call returns what was armed after another", []event{
			during(0, 9, timerStops()), during(10, 19, arms(100)), during(12, 15, timerStops(1)),
		}, illegal},
		{"of two calls one returns it", []event{
			during(0, 9, arms(100)), during(50, 59, timerStops(0)), during(52, 61, timerStops(1)),
		}, allowed},
		{"what was stopped is returned", []event{
			during(0, 9, arms(100)), during(20, 29, stops()), during(50, 59, timerStops(1)),
		}, illegal},
		{"a Stop at the same time says true, and it is left out", []event{
			during(0, 9, arms(100)), during(50, 59, stops()), during(50, 59, timerStops(0)),
		}, allowed},
		{"a Stop at the same time says false, and it is left out", []event{
			during(0, 9, arms(100)), during(50, 59, stopsNothing()), during(50, 59, timerStops(0)),
		}, illegal},
		{"what nobody armed is returned", []event{
			during(0, 9, sees(hashedwheel.Unarmed)), during(50, 59, timerStops(1)),
		}, illegal},
		{"each timeout has its own fate", []event{
			during(0, 9, arms(100)), of(1, during(10, 19, arms(100))), of(1, during(20, 29, stops())),
			during(50, 59, timerStops(1, 0)),
		}, allowed},
		{"a timeout is returned for another", []event{
			during(0, 9, arms(100)), of(1, during(10, 19, arms(100))), of(1, during(20, 29, stops())),
			during(50, 59, timerStops(0, 1)),
		}, illegal},
	})
}

func TestSpecificationOfRefusal(t *testing.T) {
	stopped10 := during(0, 9, timerStops())
	testRows(t, 0, []row{
		{"an arming after Timer.Stop is Rejected", []event{
			stopped10, during(10, 19, arms(100)), during(20, 29, sees(hashedwheel.Rejected)),
		}, allowed},
		{"an arming after Timer.Stop is Pending", []event{
			stopped10, during(10, 19, arms(100)), during(20, 29, sees(hashedwheel.Pending)),
		}, illegal},
		{"it is Unarmed, as if nothing had been said", []event{
			stopped10, during(10, 19, arms(100)), during(20, 29, sees(hashedwheel.Unarmed)),
		}, illegal},
		{"it runs", []event{stopped10, during(10, 19, arms(100)), runs(100)}, illegal},
		{"it runs while the Reset is under way", []event{stopped10, during(10, 19, arms(5)), runs(15)}, illegal},
		{"it is Pending while the Reset is under way", []event{
			stopped10, during(10, 19, arms(100)), during(12, 13, sees(hashedwheel.Pending)),
		}, allowed},
		{"it is stopped while the Reset is under way", []event{
			stopped10, during(10, 19, arms(100)), during(12, 13, stops()), during(20, 29, sees(hashedwheel.Canceled)),
		}, allowed},
		{"it is stopped after the Reset", []event{
			stopped10, during(10, 19, arms(100)), during(20, 29, stops()),
		}, illegal},
		{"a Reset leaves the refusal to a Stop under way", []event{
			during(0, 4, arms(100)), during(5, 9, timerStops(0)), during(5, 30, stops()), during(10, 19, arms(100)),
			during(20, 29, sees(hashedwheel.Pending)), during(40, 49, sees(hashedwheel.Rejected)),
		}, allowed},
		{"a Reset leaves the refusal to the one that it moves", []event{
			stopped10, during(10, 40, arms(100)), during(12, 19, moves(200)),
			during(20, 29, sees(hashedwheel.Pending)), during(50, 59, sees(hashedwheel.Rejected)),
		}, allowed},
		{"nobody sees to the refusal", []event{
			during(0, 4, arms(100)), during(5, 9, timerStops(0)), during(5, 30, stops()), during(10, 19, arms(100)),
			during(40, 49, sees(hashedwheel.Pending)),
		}, illegal},
		{"an arming during Timer.Stop is returned", []event{
			during(0, 9, timerStops(1)), during(5, 7, arms(100)),
		}, allowed},
		{"an arming during Timer.Stop is Rejected", []event{
			during(0, 9, timerStops(0)), during(5, 7, arms(100)), during(10, 19, sees(hashedwheel.Rejected)),
		}, allowed},
		{"an arming under way is seen before and after Timer.Stop, and refused then", []event{
			during(0, 30, arms(100)), during(2, 3, sees(hashedwheel.Pending)), during(5, 9, timerStops(0)),
			during(15, 19, sees(hashedwheel.Pending)), during(40, 49, sees(hashedwheel.Rejected)),
		}, allowed},
		{"an arming during Timer.Stop is both", []event{
			during(0, 9, timerStops(1)), during(5, 7, arms(100)), during(10, 19, sees(hashedwheel.Rejected)),
		}, illegal},
		{"an arming during Timer.Stop is lost", []event{
			during(0, 9, timerStops(0)), during(5, 7, arms(100)), during(10, 19, sees(hashedwheel.Pending)),
		}, illegal},
		{"one during Timer.Stop is Rejected and the next returned", []event{
			during(0, 99, timerStops(1)), during(5, 7, arms(200)), during(10, 19, sees(hashedwheel.Rejected)),
			during(20, 29, arms(200)),
		}, allowed},
		{"it is Rejected before Timer.Stop", []event{
			during(0, 9, arms(100)), during(10, 19, sees(hashedwheel.Rejected)), during(20, 29, timerStops(0)),
		}, illegal},
		{"Schedule says ErrStopped", []event{stopped10, during(10, 19, schedules(100, stopped))}, allowed},
		{"Schedule is accepted after Timer.Stop", []event{
			stopped10, during(10, 19, schedules(100, accepted)),
		}, illegal},
		{"Schedule says ErrStopped before Timer.Stop", []event{
			during(10, 19, schedules(100, stopped)), during(20, 29, timerStops(0)),
		}, illegal},
		{"Schedule says ErrStopped and it runs", []event{
			during(0, 200, timerStops(0)), during(10, 19, schedules(100, stopped)), runs(100),
		}, illegal},
		{"Schedule is accepted and runs", []event{during(10, 19, schedules(100, accepted)), runs(100)}, allowed},
		{"AfterFunc is Rejected after Timer.Stop", []event{
			stopped10, during(10, 19, afterFuncs(100)), during(20, 29, sees(hashedwheel.Rejected)),
		}, allowed},
		{"AfterFunc is Pending after Timer.Stop", []event{
			stopped10, during(10, 19, afterFuncs(100)), during(20, 29, sees(hashedwheel.Pending)),
		}, illegal},
		{"AfterFunc is Rejected before Timer.Stop", []event{
			during(0, 9, afterFuncs(100)), during(20, 29, sees(hashedwheel.Rejected)),
		}, illegal},
	})
}

func TestSpecificationOfMaxPending(t *testing.T) {
	testRows(t, 1, []row{
		{"the second arming is Rejected", []event{
			during(0, 9, arms(100)), of(1, during(10, 19, arms(100))),
			of(1, during(20, 29, sees(hashedwheel.Rejected))), runs(100),
		}, allowed},
		{"the second arming is Pending", []event{
			during(0, 9, arms(100)), of(1, during(10, 19, arms(100))), of(1, during(20, 29, sees(hashedwheel.Pending))),
		}, illegal},
		{"the first arming is Rejected", []event{
			during(0, 9, arms(100)), during(20, 29, sees(hashedwheel.Rejected)),
		}, illegal},
		{"a move of what is pending is refused", []event{
			during(0, 9, arms(100)), during(10, 19, moves(200)), during(20, 29, sees(hashedwheel.Rejected)),
		}, illegal},
		{"Schedule says ErrFull", []event{
			during(0, 9, arms(100)), of(1, during(10, 19, schedules(100, full))), runs(100),
		}, allowed},
		{"Schedule says ErrFull and is not", []event{of(1, during(10, 19, schedules(100, full)))}, illegal},
		{"Schedule says ErrFull and runs", []event{
			during(0, 9, arms(100)), of(1, during(10, 19, schedules(100, full))), runs(100), of(1, runs(100)),
		}, illegal},
		{"Schedule says ErrStopped and is full", []event{
			during(0, 9, arms(100)), of(1, during(10, 19, schedules(100, stopped))), runs(100),
		}, illegal},
		{"a Stop gives its place back", []event{
			during(0, 9, arms(100)), during(10, 19, stops()), of(1, during(20, 29, arms(100))), of(1, runs(100)),
		}, allowed},
		{"a Stop keeps its place", []event{
			during(0, 9, arms(100)), during(10, 19, stops()), of(1, during(20, 29, arms(100))),
			of(1, during(30, 39, sees(hashedwheel.Rejected))),
		}, illegal},
		{"a Stop under way may have it still", []event{
			during(0, 9, arms(100)), during(10, 25, stops()), during(11, 12, sees(hashedwheel.Canceled)),
			of(1, during(20, 29, schedules(100, full))),
		}, allowed},
		{"an expiry gives its place back", []event{
			during(0, 9, arms(100)), runs(100), of(1, during(110, 119, schedules(200, accepted))), of(1, runs(200)),
		}, allowed},
		{"an expiry keeps its place", []event{
			during(0, 9, arms(100)), runs(100), of(1, during(110, 119, schedules(200, full))),
		}, illegal},
		{"a refusal keeps a place", []event{
			during(0, 9, arms(100)), of(1, during(10, 19, schedules(100, full))), during(20, 29, stops()),
			of(2, during(30, 39, schedules(200, full))),
		}, illegal},
	})
}
