package db_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"holdfast/db/dbtest"
)

// constants collects every string constant of this folder's files whose name ends in
// SQL, with constants joined by + resolved.
func constants(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]ast.Expr{}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				for i, n := range v.Names {
					if i < len(v.Values) {
						parts[n.Name] = v.Values[i]
					}
				}
			}
		}
	}
	out := map[string]string{}
	for name, e := range parts {
		if strings.HasSuffix(name, "SQL") {
			out[name] = resolve(t, parts, e)
		}
	}
	return out
}

func resolve(t *testing.T, parts map[string]ast.Expr, e ast.Expr) string {
	t.Helper()
	switch x := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(x.Value)
		if err != nil {
			t.Fatal(err)
		}
		return s
	case *ast.Ident:
		return resolve(t, parts, parts[x.Name])
	case *ast.BinaryExpr:
		return resolve(t, parts, x.X) + resolve(t, parts, x.Y)
	}
	t.Fatalf("constant of an unexpected form: %T", e)
	return ""
}

// TestEveryStatementPrepares: PostgreSQL itself reads every SQL constant of db/
// against the migrated schema.
func TestEveryStatementPrepares(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), dbtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	all := constants(t)
	if len(all) < 60 {
		t.Fatalf("found only %d SQL constants; does the search still work?", len(all))
	}
	for name, sql := range all {
		rewritten, _, err := pgx.NamedArgs{}.RewriteQuery(t.Context(), conn, sql, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := conn.Prepare(t.Context(), name, rewritten); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
