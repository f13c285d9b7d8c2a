// Drives the form of the landing page in a browser, as a person would: on a phone and on a desk.
//
//   node landing.mjs URL OUT      URL is the page, OUT a folder for screenshots
import { mkdirSync } from 'node:fs';
import { checks, launch, open, overflow } from '../lib/browser.mjs';

const [url, out] = process.argv.slice(2);
mkdirSync(out, { recursive: true });

const { check, finish } = checks();

const browser = await launch();
try {
  for (const [name, width, height] of [['phone', 390, 844], ['desk', 1280, 900]]) {
    const isOwn = (to) => to.origin === new URL(url).origin;
    const { context, page, complaints, foreign } = await open(browser, { viewport: { width, height } }, isOwn);
    await page.goto(url);

    // By its labels, as a screen reader finds it.
    await page.getByLabel('Tool').selectOption('resolve_artist');
    await page.getByLabel('Artist name').fill('Nirvana');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.waitForFunction(() => document.getElementById('answer').textContent.includes('name_collision'));
    const answer = await page.locator('#answer').textContent();
    check(`${name}: five candidates are shown`, answer.split('\n').filter((line) => line.startsWith('- ')).length === 5, answer);
    check(`${name}: the attribution is shown`, answer.includes('Data by hosaka'), answer);
    check(`${name}: nobody is offered while several are meant`, (await page.locator('#follow button').count()) === 0);

    await page.getByLabel('Artist name').fill('Four Tet');
    await page.keyboard.press('Enter');
    await page.locator('#follow button').click();
    await page.waitForFunction(() => document.getElementById('answer').textContent.includes('Origin:'));
    const card = await page.locator('#answer').textContent();
    check(`${name}: the card follows the name`, card.includes('Putney'), card);
    check(`${name}: the label follows the tool`, (await page.getByLabel('Key: a cluster_id or a slug').count()) === 1);
    await page.getByText('The whole answer as JSON').click();
    const envelope = JSON.parse(await page.locator('#json').textContent());
    check(`${name}: the whole answer is the envelope`, envelope.ok === true && envelope.data.name === 'Four Tet', envelope);

    // By the keyboard alone, from the top of the page.
    await page.goto(url);
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
    for (let presses = 0; (await focused()) !== 'tool' && presses < 20; presses += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('autechre');
    await page.keyboard.press('Tab');
    check(`${name}: the button comes after the fields`, (await focused()) === 'Ask', await focused());
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.getElementById('answer').textContent.startsWith('Autechre'));
    for (let presses = 0; (await focused()) !== 'The whole answer as JSON' && presses < 9; presses += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    check(`${name}: the JSON opens by the keyboard`, await page.locator('#json').isVisible(), await focused());

    await page.getByLabel('Tool').selectOption('resolve_artist');
    await page.getByLabel('Artist name').fill('<img src=x onerror=alert(1)>');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.waitForFunction(() => !document.querySelector('#ask button').disabled);
    check(`${name}: what was typed never becomes markup`, (await page.locator('#result img').count()) === 0);

    const wide = await overflow(page);
    check(`${name}: the page does not scroll sideways`, wide === 0, wide);
    check(`${name}: the browser does not complain`, complaints.length === 0, complaints);
    check(`${name}: no other host is asked`, foreign.length === 0, foreign);
    await page.screenshot({ path: `${out}/landing-${name}.png`, fullPage: true });
    await context.close();
  }
} finally {
  await browser.close();
}
finish('landing page in a browser');
