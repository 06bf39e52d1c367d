// regexp_ident.ts -- write ext/codec/regexp/regexp_ident.h to stdout.
//
// Usage:  deno run ext/gen/regexp_ident.ts >ext/codec/regexp/regexp_ident.h
//
// Asks the running Deno which characters may start a group name in a regular
// expression, and which may follow in one.

function compiles(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}

// 0 neither, 1 anywhere in a name, 2 anywhere but at its start.
function classOf(c: number): number {
  if (c < 0x80) return 0; // ASCII is not looked up in the table
  if (c >= 0xd800 && c <= 0xdfff) return 0;
  const z = String.fromCodePoint(c);
  if (compiles(`(?<${z}>)`)) return 1;
  return compiles(`(?<a${z}>)`) ? 2 : 0;
}

const runs: string[] = [];
let last = -1;
for (let c = 0; c < 0x110000; c++) {
  const k = classOf(c);
  if (k !== last) runs.push(`0x${(c * 4 + k).toString(16)}u`);
  last = k;
}

console.log(`/*
** regexp_ident.h -- the characters of group names in regular expressions.
**
** Written by ext/gen/regexp_ident.ts with Deno ${Deno.version.deno}: change that, not this.
** Sorted; each number is 4 * c + k: from character c up to the next number's,
** k is 1 for a character that may stand anywhere in a name, 2 for one that
** may stand anywhere but at its start, and 0 for one that may not stand in a
** name.  ASCII is left out.
*/
#ifndef KV_REGEXP_IDENT_H
#define KV_REGEXP_IDENT_H

static const u32 regpIdent[] = {`);
for (let i = 0; i < runs.length; i += 7) {
  console.log("  " + runs.slice(i, i + 7).join(", ") + ",");
}
console.log(`};

#endif /* KV_REGEXP_IDENT_H */`);
