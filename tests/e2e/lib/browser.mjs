// A browser that is driven as a person would, and the counting of what it has to show.
import { chromium } from 'playwright-core';

const patience_ms = 20_000;

/** Counts promises that hold and keeps those that do not, with as many characters of what was seen instead. */
export function checks(characters = 400) {
  let passed = 0;
  const failures = [];
  return {
    check(promise, holds, seen) {
      if (holds) passed += 1;
      else failures.push(`${promise}; saw ${JSON.stringify(seen)?.slice(0, characters)}`);
    },
    /** Tells what became of `what` and ends the program. */
    finish(what) {
      for (const failure of failures) console.log(`FAILED: ${failure}`);
      console.log(`${what}: ${passed} checks passed, ${failures.length} failed`);
      process.exit(failures.length === 0 ? 0 : 1);
    },
  };
}

/** The system's Chromium, or the one that ONO_CHROMIUM names. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.ONO_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
  });
}

/**
 * A page of a new context with these settings; what the browser complains of, but for texts that `isExpected`, and the
 * addresses it asks that are not `isOwn`.
 */
export async function open(browser, settings, isOwn, isExpected = () => false) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...settings });
  const page = await context.newPage();
  page.setDefaultTimeout(patience_ms);
  const complaints = [];
  const foreign = [];
  page.on('console', (message) => message.type() === 'error' && !isExpected(message.text()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const to = new URL(request.url());
    if (to.protocol !== 'data:' && !isOwn(to)) foreign.push(request.url());
  });
  return { context, page, complaints, foreign };
}

/** By how many pixels a page is wider than its window. */
export function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
