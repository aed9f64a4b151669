// Guarantee: an asset's documents are listed in order, and their completeness is that of today's date in UTC.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { type Item, insert, makeItem, type Response } from '#test/support/scenario.ts';

/** The date in UTC after that many days. */
const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const COMMON = ['appraisal_report', 'insurance_policy', 'purchase_receipt'];
const RECOMMENDED: Record<string, string[]> = {
  PM: ['assay_certificate'],
  WT: ['certificate_of_authenticity', 'service_record'],
  JW: ['grading_report'],
  GM: ['grading_report'],
  AR: ['provenance_record', 'condition_report'],
  WN: [],
  CN: ['grading_report'],
  VH: ['title_document', 'service_record'],
  BK: ['provenance_record', 'condition_report'],
  MI: ['provenance_record', 'condition_report'],
  FA: ['provenance_record', 'condition_report'],
  CL: [],
};

describe.each(ENGINES)('over $name', ({ start }) => {
  let gateway: TestGateway;
  let partner: Partner;

  beforeAll(async () => {
    gateway = await start();
    partner = await makePartner(gateway);
  });
  afterAll(() => gateway.stop());

  const item = (category = 'WT') => makeItem(gateway.database, partner.client, { category });

  const add = async (of: Item, type: string, columns: Record<string, unknown> = {}) => {
    const id = newId('document');
    await insert(gateway.database, 'documents', { id, item_id: of.id, type, ...columns });
    return id;
  };

  const read = (of: Item): Promise<Response> => partner.get(`/assets/${of.registryId}/documents`);
  const idsOf = ({ body }: Response): string[] => body.data.map(({ id }: { id: string }) => id);

  it('documents are listed by issue date, newest first and unknown last, then by descending id', async () => {
    const watch = await item();
    const undated = await add(watch, 'other');
    const old = await add(watch, 'other', { issued_on: '2001-01-01' });
    const tied = await add(watch, 'photograph', { issued_on: '2024-05-05' });
    const later = await add(watch, 'photograph', { issued_on: '2024-05-05' });
    const undatedToo = await add(watch, 'other');
    const newest = await add(watch, 'other', { issued_on: '2025-01-01' });
    const order = [newest, later, tied, old, undatedToo, undated];
    expect(idsOf(await read(watch))).toEqual(order);
    const { body } = await partner.get(`/assets/${watch.registryId}?include=documents`);
    expect(body.data.documents.map(({ id }: { id: string }) => id)).toEqual(order);
  });

  it('all documents are in one response, also 130', async () => {
    const watch = await item();
    const rows = Array.from({ length: 130 }, () => `('${newId('document')}', '${watch.id}', 'photograph')`);
    await gateway.database.query({ text: `insert into documents (id, item_id, type) values ${rows.join(', ')}` });
    expect((await read(watch)).body.data).toHaveLength(130);
    const { body } = await partner.get(`/assets/${watch.registryId}?include=documents`);
    expect(body.data.documents).toHaveLength(130);
  });

  it('a document has all its fields and no reference to its file', async () => {
    const watch = await item();
    const id = await add(watch, 'title_document', {
      title: 'Deed',
      issuer: 'Registrar',
      issued_on: '2024-02-29',
      expires_on: '2034-02-28',
      file_size: '5000000000',
      file_path: '/secret/deed.pdf',
    });
    expect((await read(watch)).body.data).toEqual([
      {
        id,
        registry_id: watch.registryId,
        type: 'title_document',
        title: 'Deed',
        issuer: 'Registrar',
        issued_on: '2024-02-29',
        expires_on: '2034-02-28',
        file_size: 5_000_000_000,
        created_at: expect.stringMatching(/\.\d{3}Z$/),
        updated_at: expect.stringMatching(/\.\d{3}Z$/),
      },
    ]);
  });

  it('a document that expires today counts, and one that expired yesterday does not', async () => {
    const watch = await item();
    await add(watch, 'purchase_receipt', { expires_on: dayFromNow(0) });
    await add(watch, 'insurance_policy', { expires_on: dayFromNow(-1) });
    await add(watch, 'service_record', { expires_on: dayFromNow(1) });
    await add(watch, 'appraisal_report');
    expect((await read(watch)).body.completeness).toEqual({
      score: 60,
      present: ['appraisal_report', 'purchase_receipt', 'service_record'],
      missing: ['certificate_of_authenticity', 'insurance_policy'],
    });
  });

  it('several documents of one type count once, and types that are not recommended do not count', async () => {
    const bar = await item('PM');
    for (const type of ['purchase_receipt', 'purchase_receipt', 'photograph', 'title_document', 'other'])
      await add(bar, type);
    await add(bar, 'purchase_receipt', { expires_on: dayFromNow(-9) });
    expect((await read(bar)).body.completeness).toMatchObject({ score: 25, present: ['purchase_receipt'] });
  });

  it('the score is rounded down', async () => {
    const wine = await item('WN');
    await add(wine, 'purchase_receipt');
    expect((await read(wine)).body.completeness.score).toBe(33);
    await add(wine, 'insurance_policy');
    expect((await read(wine)).body.completeness.score).toBe(66);
    await add(wine, 'appraisal_report');
    expect((await read(wine)).body.completeness).toMatchObject({ score: 100, missing: [] });
  });

  it('the score of a category without recommendations is 100, with nothing present and nothing missing', async () => {
    const thing = await item('OT');
    await add(thing, 'purchase_receipt');
    expect((await read(thing)).body.completeness).toEqual({ score: 100, present: [], missing: [] });
  });

  it.each(Object.entries(RECOMMENDED))(
    'category %s has, in addition to the common three, the recommended types %j',
    async (category, own) => {
      const { completeness } = (await read(await item(category))).body;
      expect(completeness).toEqual({ score: 0, present: [], missing: [...COMMON, ...own].sort() });
    },
  );

  it('completeness follows the current category, and the asset has the same', async () => {
    const thing = await item('OT');
    await add(thing, 'grading_report');
    await gateway.database.query({ text: "update items set category = 'JW' where id = $1", values: [thing.id] });
    const { completeness } = (await read(thing)).body;
    expect(completeness).toEqual({ score: 25, present: ['grading_report'], missing: COMMON });
    expect((await partner.get(`/assets/${thing.registryId}`)).body.data.documentation).toEqual(completeness);
  });
});
