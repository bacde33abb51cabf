// Package domain holds the words of the house as types: events, legs, layouts,
// seats, holds, payments, money, and the pure rules about them. It imports
// nothing of ours, does no input or output and reads no clock.
package domain
