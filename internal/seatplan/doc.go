// Package seatplan makes and changes seat plans: from what people type into a form
// (Spec, Build), cell by cell (the functions of edit*.go), and what a changed plan
// means for seats that are sold (Compare). It is pure: nothing here reads or stores.
package seatplan
