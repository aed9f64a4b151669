// The pages of a failed test are saved.

import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { launchChromium } from '#test/support/chromium.ts';
import { saveArtefacts } from './artefacts.ts';

it('an open page is saved as a screenshot, as HTML and as a trace', async () => {
  const directory = await mkdtemp(join(inject('directory'), 'artefacts-'));
  const browser = await launchChromium();
  try {
    const context = await browser.newContext();
    await context.tracing.start();
    const page = await context.newPage();
    await page.setContent('<h1>Not what was expected</h1>');
    await saveArtefacts(context, directory);
    const start = async (file: string) => (await readFile(join(directory, file))).toString('latin1').slice(0, 4);
    expect(await start('0.png')).toContain('PNG');
    expect(await start('trace.zip')).toContain('PK');
    expect(await readFile(join(directory, '0.html'), 'utf8')).toContain('Not what was expected');
  } finally {
    await browser.close();
  }
});
