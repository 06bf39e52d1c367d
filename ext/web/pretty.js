// pretty.js -- JSON text indented. Nothing is parsed by JavaScript, so numbers
// stay as they are spelled, of any length.

export function pretty(json) {
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  const empty = (at) => /^[[{][\]}]$/.test(json.slice(at, at + 2));
  return json.replace(/"(?:[^"\\]|\\.)*"|[[\]{},:]/g, (token, at) => {
    if (token === ",") return `,${line()}`;
    if (token === ":") return ": ";
    if (token === "[" || token === "{") {
      if (empty(at)) return token;
      depth++;
      return token + line();
    }
    if (token === "]" || token === "}") {
      if (empty(at - 1)) return token;
      depth--;
      return line() + token;
    }
    return token;
  });
}
