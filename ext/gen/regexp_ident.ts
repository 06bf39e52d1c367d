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

// The digits of a number to the base 28: '@' is 0, and '`' in the last place.
function digits(n: number): string {
  let text = String.fromCharCode(96 + n % 28);
  for (let r = Math.floor(n / 28); r; r = Math.floor(r / 28)) {
    text = String.fromCharCode(64 + r % 28) + text;
  }
  return text;
}

const steps = runs.map((n, i) => digits(i ? n - runs[i - 1] : n)).join("");
const lines = steps.match(/.{1,76}/g)!.map((line) => `  "${line}"`).join("\n");

console.log(`/*
** regexp_ident.h -- the characters of group names in regular expressions.
**
** Written by ext/gen/regexp_ident.ts with Deno ${Deno.version.deno}: change that, not this.
** A sorted list of numbers 4 * c + k: from character c up to the next number's,
** k is 1 for a character that may stand anywhere in a name, 2 for one that
** may stand anywhere but at its start, and 0 for one that may not stand in a
** name.  ASCII is left out.  Of each number stands the difference to the one
** before it (the first is 0), to the base 28: the lowest five bits of a
** character are a digit, and the next one is set in the last digit of a number.
*/
#ifndef KV_REGEXP_IDENT_H
#define KV_REGEXP_IDENT_H

static const char identSteps[] =
${lines};

#endif /* KV_REGEXP_IDENT_H */`);
