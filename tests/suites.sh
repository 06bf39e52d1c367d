#!/bin/sh
# suites.sh -- the suites of programs over Deno KV (tests/suites/run.ts), in the real Deno and
# again with the package's openKv(); and the program over every call (tests/openkv/dropin.ts)
# type-checked by tsc in Node and in Bun and by Deno, with @deno/kv and with the package.
#
# The table must be the one in sql/manual/openkv.md; KV_README=write puts it there.  $SUITES_GIT:
# where suites are cloned from (run.ts).  $SUITES: only these, and no table.  Run it by make suites;
# its last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.."
root=$PWD
out=$root/build/suites
npm=$root/build/npm
page=sql/manual/openkv.md
passed=0
failed=0
mkdir -p "$out/js/node_modules/@sqlite-kv"

# result NAME CODE
result() {
  if [ "$2" = 0 ]; then passed=$((passed+1)) && echo "ok: $1"; else failed=$((failed+1)) && echo "FAILED: $1"; fi
}

# The package as it is installed, and what the program imports beside it.
js=$out/js
package=$js/node_modules/sqlite-kv
library=$js/node_modules/@sqlite-kv/$(sh ext/pack/here.sh gcc)
rm -rf "$package"
mkdir -p "$package" "$library"
cp ext/pack/npm/* "$package"
cat >"$package/package.json" <<'END'
{ "name": "sqlite-kv", "type": "commonjs", "main": "index.js", "exports": {
  "import": { "types": "./index.d.mts", "default": "./index.mjs" },
  "require": { "types": "./index.d.ts", "default": "./index.js" } } }
END
echo '{ "main": "index.so" }' >"$library/package.json"
ln -sf "$root/build/kv.so" "$library/index.so"
for name in @types undici-types typescript; do ln -sfn "$npm/types/node_modules/$name" "$js/node_modules/$name"; done
ln -sfn "$npm/node_modules/@deno" "$js/node_modules/@deno"

echo '{ "private": true, "type": "module" }' >"$js/package.json"
cp tests/openkv/replaces.ts "$js"
cp tests/openkv/dropin.ts "$js/theirs.ts"
sed 's#from "@deno/kv"#from "sqlite-kv"#' tests/openkv/dropin.ts >"$js/ours.ts"
cat >"$js/tsconfig.json" <<'END'
{ "compilerOptions": { "strict": true, "noEmit": true, "target": "es2024", "module": "nodenext", "types": ["node"],
  "lib": ["es2024", "dom", "dom.asynciterable", "esnext.disposable"] }, "files": ["theirs.ts", "ours.ts", "replaces.ts"] }
END
cd "$js" || exit 1
"$npm/bin/node" node_modules/typescript/bin/tsc -p .
result "tsc --strict: the program with @deno/kv and with the package" $?
"$npm/bin/bun" node_modules/typescript/bin/tsc -p .
result "tsc in Bun" $?
NO_COLOR=1 "$npm/deno" check --quiet --no-lock --node-modules-dir=manual theirs.ts ours.ts replaces.ts
result "deno check" $?
cd "$root" || exit 1

"$npm/deno" run -A --quiet --no-lock --no-config tests/suites/run.ts "$out" "$package" ${SUITES-} >"$out/table"
code=$?
cat "$out/table"
result "each suite has the results that it has in the real Deno" $code
if [ -n "${SUITES-}" ]; then
  echo "$passed passed, $failed failed"
  [ $failed = 0 ]
  exit
fi
if [ "${KV_README-}" = write ]; then
  awk -v table="$out/table" '
    /^<!-- end suites -->/ { skip = 0 }
    !skip
    /^<!-- begin suites -->/ { skip = 1; while( (getline line < table)>0 ) print line }
  ' $page >"$out/page" && cat "$out/page" >$page
fi
sed '1,/^<!-- begin suites -->/d; /^<!-- end suites -->/,$d' $page | diff - "$out/table"
result "$page has this table" $?
echo "$passed passed, $failed failed"
[ $failed = 0 ]
