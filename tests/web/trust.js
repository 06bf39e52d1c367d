// trust.js -- nothing leaves the page, and what is stored stays text.

import { createServer } from "node:http";
import { click, request, settled } from "./browser.js";
import { assert, rows } from "./check.js";

/** Every way out that a script has; each must fail. */
async function tryAll(url) {
  const ways = {
    fetch: () => fetch(url),
    XMLHttpRequest: () =>
      new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        Object.assign(request, { onload: resolve, onerror: () => reject(new Error("refused")) });
        request.open("GET", url);
        request.send();
      }),
    WebSocket: () =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(url.replace("http", "ws"));
        Object.assign(socket, { onopen: resolve, onerror: () => reject(new Error("refused")) });
      }),
    EventSource: () =>
      new Promise((resolve, reject) => {
        const source = new EventSource(url);
        Object.assign(source, { onopen: resolve, onerror: () => reject(new Error("refused")) });
      }),
    script: () =>
      globalThis.importScripts ? importScripts(url) : new Promise((resolve, reject) => {
        const script = document.createElement("script");
        Object.assign(script, { onload: resolve, onerror: () => reject(new Error("refused")) });
        script.src = url;
        document.head.append(script);
      }),
    image: () =>
      globalThis.importScripts
        ? Promise.reject(new Error("none here"))
        : new Promise((resolve, reject) => {
          const image = new Image();
          Object.assign(image, { onload: resolve, onerror: () => reject(new Error("refused")) });
          image.src = url;
        }),
    beacon: () => {
      if (!navigator.sendBeacon?.(url, "x")) throw new Error("refused");
    },
    frame: () =>
      globalThis.importScripts
        ? Promise.reject(new Error("none here"))
        : new Promise((resolve, reject) => {
          const frame = document.createElement("iframe");
          frame.src = url;
          document.body.append(frame);
          addEventListener("securitypolicyviolation", () => reject(new Error("refused")), {
            once: true,
          });
        }),
  };
  const open = [];
  for (const [name, way] of Object.entries(ways)) {
    try {
      await way();
      open.push(name);
    } catch {
      // refused, as it must be
    }
  }
  return open;
}

const MARKUP = `<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>`;

/** The ways out that are open for a page or worker, by itself and by the server's count. */
async function waysOut(place) {
  let visits = 0;
  const server = createServer((_, response) => {
    visits++;
    response.writeHead(200, { "access-control-allow-origin": "*" });
    response.end();
  });
  server.on("upgrade", (_, socket) => {
    visits++;
    socket.destroy();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const ways = await place.evaluate(tryAll, `http://127.0.0.1:${server.address().port}/`);
    return { ways, visits };
  } finally {
    server.close();
  }
}

export default {
  async "the page can't connect to anything"({ open }) {
    const { ways, visits } = await waysOut(await open());
    // sendBeacon() may say yes to what the policy then refuses: the server has the last word.
    assert.deepEqual(ways.filter((way) => way !== "beacon"), []);
    assert.equal(visits, 0);
  },

  async "in Chromium the page's worker can't connect to anything either"({ open }) {
    const tab = await open();
    assert.deepEqual(await waysOut(tab.workers()[0]), { ways: [], visits: 0 });
  },

  async "the page says that nothing leaves it, and shows the policy"({ open }) {
    const tab = await open();
    await click(tab, "button", "Nothing leaves this page");
    assert.match(await tab.$eval("dialog", (dialog) => dialog.textContent), /connect-src 'none'/);
  },

  async "markup in keys, values and messages is shown as text"({ open }) {
    const tab = await open();
    await click(tab, "button", "Start empty");
    await settled(tab);
    await tab.evaluate((text) =>
      page.client.change("write", {
        steps: [
          {
            sql: `INSERT INTO kv_entries(key, value)
                 VALUES (kv_key(?1, 1), ?1), (kv_key('o', ?1), json_object('a', ?1))`,
            params: [text],
          },
          { sql: "INSERT INTO kv_queue(value, delay) VALUES (?1, 0)", params: [text] },
        ],
      }), MARKUP);
    const ids = ["overview", "entries", "collections", "queue", "indexes", "ask", "changes"];
    for (const id of ids) {
      await tab.evaluate((id) => page.go(id), id);
      await settled(tab);
    }
    await tab.evaluate((text) => {
      page.toast(text);
      page.views.ask.code.text = `SELECT '${text.replaceAll("'", "''")}' AS x; SELECT "${text}`;
      return page.go("ask").then(() => page.views.ask.run());
    }, MARKUP);
    await tab.evaluate(
      (key) => page.go("entries").then(() => page.views.entries.detail.show(key)),
      JSON.stringify(["o", MARKUP]),
    );
    await settled(tab);
    const found = await tab.evaluate(() => ({
      images: document.images.length,
      scripts: document.scripts.length,
      hacked: globalThis.hacked ?? 0,
      shown: document.querySelector(".detail h2").textContent.includes("<img src=x"),
    }));
    assert.deepEqual(found, { images: 0, scripts: 4, hacked: 0, shown: true });
    await assert.rejects(
      tab.evaluate(() => document.body.innerHTML = "<b>x</b>"),
      /TrustedHTML|blocked by CSP/,
    );
    assert.deepEqual(await rows(tab, "SELECT count(*) FROM kv_entries"), [[2]]);
    assert.equal((await request(tab, "changes", {})).total, 2);
  },
};
