// A gateway has unreported admissions until Redis has answered every report, because other gateways rely on its word.
import { expect, it } from 'vitest';
import { LocalLimiter } from '#limits/local-limiter.ts';
import { Peers } from '#limits/peers.ts';
import { Reconciliation } from '#limits/reconciliation.ts';

it('admissions are unreported until every report of the subject is answered', async () => {
  const answers: PromiseWithResolvers<number>[] = [];
  const redis = {
    report: () => {
      const answer = Promise.withResolvers<number>();
      answers.push(answer);
      return answer.promise;
    },
  };
  const watch = { usable: () => true, lost: () => {} };
  const local = new LocalLimiter({ now: () => 1_000_000 });
  const reconciliation = new Reconciliation(redis, watch as never, local, new Peers('one'));
  reconciliation.report('key', local.count('key'), 1);
  reconciliation.report('key', local.count('key'), 1);
  expect(answers).toHaveLength(2);
  answers[0]?.resolve(7);
  await new Promise(setImmediate);
  expect(reconciliation.hasUnreported).toBe(true);
  answers[1]?.resolve(7);
  await new Promise(setImmediate);
  expect(reconciliation.hasUnreported).toBe(false);
});
