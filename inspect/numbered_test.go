package inspect_test

import "github.com/hashedwheel/hashedwheel"

// numbered are tasks of 25 names.
var numbered = []hashedwheel.TaskFunc{
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
	func(*hashedwheel.Timeout) {},
}
