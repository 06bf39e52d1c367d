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

const runs: number[] = [];
let last = -1;
for (let c = 0; c < 0x110000; c++) {
  const k = classOf(c);
  if (k !== last) runs.push(c * 4 + k);
  last = k;
}

// The lines of a table.
function table(numbers: number[]): string {
  const lines: string[] = [];
  let line = " ";
  for (const n of numbers) {
    if (line.length + ` ${n},`.length > 79) {
      lines.push(line);
      line = " ";
    }
    line += ` ${n},`;
  }
  return [...lines, line].join("\n");
}

console.log(`/*
** regexp_ident.h -- the characters of group names in regular expressions.
**
** Written by ext/gen/regexp_ident.ts with Deno ${Deno.version.deno}: change that, not this.
** A sorted list of numbers 4 * c + k: from character c up to the next number's,
** k is 1 for a character that may stand anywhere in a name, 2 for one that
** may stand anywhere but at its start, and 0 for one that may not stand in a
** name.  ASCII is left out.  identStep[] has the difference of each number to
** the one before it (the first is 0), identAt[] every 64th number itself.
*/
#ifndef KV_REGEXP_IDENT_H
#define KV_REGEXP_IDENT_H

static const u32 identStep[] = {
${table(runs.map((n, i) => (i ? n - runs[i - 1] : n)))}
};

static const u32 identAt[] = {
${table(runs.filter((_, i) => i % 64 === 0))}
};

#endif /* KV_REGEXP_IDENT_H */`);
