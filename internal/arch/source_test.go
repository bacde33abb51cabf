package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// source is what the rules want to know of one Go file.
type source struct {
	path    string // inside the module
	pkg     string // its folder inside the module, "" for the top
	test    bool
	imports []string  // ours only, inside the module
	texts   []literal // string literals; neighbours joined by + are one
}

type literal struct {
	line int
	text string
}

// sources parses every Go file of the module, generated and test files included.
func sources(t *testing.T, root string) []source {
	t.Helper()
	var files []source
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != root && skipped(d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f, err := parse(name, filepath.ToSlash(rel))
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func skipped(dir string) bool {
	return dir == "node_modules" || dir == "testdata" || dir == "tmp" || dir == "bin" ||
		strings.HasPrefix(dir, ".") || strings.HasPrefix(dir, "_")
}

func parse(name, rel string) (source, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	f := source{path: rel, pkg: path.Dir(rel), test: strings.HasSuffix(rel, "_test.go")}
	if f.pkg == "." {
		f.pkg = ""
	}
	for _, spec := range tree.Imports {
		full, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return source{}, err
		}
		if ours, ok := strings.CutPrefix(full+"/", module+"/"); ok {
			f.imports = append(f.imports, strings.TrimSuffix(ours, "/"))
		}
	}
	for _, decl := range tree.Decls {
		ast.Inspect(decl, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text, ok := constant(e)
			if ok {
				f.texts = append(f.texts, literal{fset.Position(e.Pos()).Line, text})
			}
			return !ok
		})
	}
	return f, nil
}

// constant joins "a" + name + "b" to "a b": a name stands for any text.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, okLeft := constant(e.X)
		right, okRight := constant(e.Y)
		return left + " " + right, okLeft || okRight
	}
	return "", false
}
