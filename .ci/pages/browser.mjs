// Reads pages of sweep in headless Chromium; see .ci/page.
// usage: node browser.mjs SWEEP DIR [SHOTS]
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const [sweep, dir, shots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// open opens a page in which nothing may go wrong, and which may ask for
// nothing but itself.
const open = async (url, options) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.on("console", (message) => assert.fail(`console of ${url}: ${message.text()}`));
  page.on("pageerror", (error) => assert.fail(`${url}: ${error.stack}`));
  page.on("request", (request) => assert.equal(new URL(request.url()).origin, new URL(url).origin, request.url()));
  await page.goto(url);
  return page;
};

const accessible = async (page, name) => {
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
  await page.evaluate(axe); // not by a script element, which the page's policy would refuse
  const { violations } = await page.evaluate(() => window.axe.run());
  assert.deepEqual(violations.map((v) => `${v.id}: ${v.help}: ${v.nodes[0].html}`), [], name);
};

const files = { one: `file://${dir}/one.html`, two: `file://${dir}/two.html` };
for (const [name, url] of Object.entries(files)) {
  for (const [width, height] of [[375, 812], [1280, 900]]) {
    for (const colorScheme of ["light", "dark"]) {
      const label = `${name}-${width}-${colorScheme}`;
      const page = await open(url, { viewport: { width, height }, colorScheme });
      if (shots) await page.screenshot({ path: `${shots}/${label}.png`, fullPage: true });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${label} is too wide`);
      await accessible(page, label);
      await page.context().close();
    }
  }
  const page = await open(url);
  const wrong = await page.evaluate(() => {
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    const named = [...document.querySelectorAll("svg")].filter((svg) => svg.querySelector("title")?.textContent && svg.querySelector("desc")?.textContent);
    const links = [...document.querySelectorAll("a[href^='#']")].filter((a) => !document.getElementById(a.getAttribute("href").slice(1)));
    return { twice: ids.filter((id, k) => ids.indexOf(id) !== k), svgs: document.querySelectorAll("svg").length, named: named.length, dead: links.map((a) => a.href) };
  });
  assert.deepEqual([wrong.twice, wrong.dead], [[], []]);
  assert.ok(wrong.svgs >= 4 && wrong.named === wrong.svgs, `${wrong.named} of ${wrong.svgs} figures are described`);
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 50_000, "the print is empty");
  if (shots) writeFileSync(`${shots}/${name}.pdf`, pdf);
  await page.context().close();
}

// The table of cells, by mouse and keyboard: ten worlds of RL and of WL.
{
  const page = await open(files.one);
  const rows = () => page.locator("#s1-table tbody tr:visible").evaluateAll((list) => list.map((row) => [row.cells[1].textContent, parseFloat(row.cells[3].textContent)]));
  const [first, second] = await rows();
  assert.deepEqual([first[0], second[0]], ["RL", "WL"]);
  const head = page.locator("#s1-table thead th").nth(3);
  await head.getByRole("button").click();
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  assert.ok((await rows())[0][1] < (await rows())[1][1]);
  await head.getByRole("button").press("Enter");
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  assert.ok((await rows())[0][1] > (await rows())[1][1]);
  await page.getByLabel("algorithm", { exact: true }).selectOption("WL");
  assert.deepEqual((await rows()).map(([a]) => a), Array(10).fill("WL"));
  assert.equal(await page.locator("#s1-cells ~ .filters output").textContent(), "10 of 20 rows");
  await page.getByLabel("algorithm", { exact: true }).selectOption("");
  await page.getByLabel("contains").fill("rl");
  assert.deepEqual((await rows()).map(([a]) => a), Array(10).fill("RL"));
  await page.reload();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  await page.context().close();

  const plain = await open(files.one, { javaScriptEnabled: false });
  assert.equal(await plain.locator("#s1-table tbody tr").count(), 20);
  await plain.context().close();
}

// A sweep is watched while it runs, and gives the same bytes as without. Its
// runs wait for gates that open when the page has shown what was before, so
// nothing depends on how fast either is.
{
  writeFileSync(`${dir}/live.toml`, `
experiment = "command"
seeds      = "0..59"

[command]
run     = ["sh", "live.sh", "{x}", "{seed}"]
watch   = ["live.sh"]
metrics = ["y"]

[grid]
x = [1, 2, 3, 4, 5]
`);
  writeFileSync(`${dir}/live.sh`, `
while [ "$2" -ge 20 ] && ! [ -e "${dir}/gate-20" ]; do sleep 0.05; done
while [ "$2" -ge 40 ] && ! [ -e "${dir}/gate-40" ]; do sleep 0.05; done
echo "{\\"y\\": $(($1 * $2 % 7))}"
`);
  const run = (out, ...more) => ["run", `${dir}/live.toml`, "-o", `${dir}/${out}`, "--workers", "2", ...more];
  const process_ = spawn(sweep, run("watched", "--serve", "127.0.0.1:0"), { stdio: ["ignore", "ignore", "pipe"] });
  const exit = once(process_, "exit");
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: process_.stderr }).on("line", (line) => {
      const found = line.match(/http:\S+/);
      if (found) resolve(found[0]);
    });
    exit.then(() => reject(new Error("the sweep ended without a page")));
  });
  assert.equal((await fetch(url, { method: "POST" })).status, 405);
  const page = await open(url, { viewport: { width: 1280, height: 900 } });
  // shows waits until the bar is at a number of runs, and the table at one in a cell.
  const shows = async (done, inCell) => {
    const showing = ([runs, cell]) => {
      const row = document.querySelector("#s1-table tbody tr");
      return document.getElementById("live-bar").value === runs && Number(row?.cells[1].textContent) === cell;
    };
    await page.waitForFunction(showing, [done, inCell], { polling: 100, timeout: 120_000 });
  };
  await shows(100, 20);
  writeFileSync(`${dir}/gate-20`, "");
  await shows(200, 40);
  if (shots) await page.screenshot({ path: `${shots}/live.png` });
  writeFileSync(`${dir}/gate-40`, "");
  await page.getByText("The sweep has ended.").waitFor({ timeout: 120_000 });
  assert.equal(await page.locator(".facts dd").first().textContent(), "300 of 300");
  assert.equal(await page.locator("#live-bar").evaluate((bar) => bar.value), 300);
  await accessible(page, "live");
  assert.deepEqual(await exit, [0, null]);
  assert.equal(spawnSync(sweep, run("alone", "--quiet"), { stdio: "inherit" }).status, 0);
  for (const file of ["runs.parquet", "summary.parquet"]) {
    assert.ok(readFileSync(`${dir}/watched/${file}`).equals(readFileSync(`${dir}/alone/${file}`)), `${file} is not the same if the sweep is watched`);
  }
}

await browser.close();
console.log("the pages are as they should be");
