// Guarantee: requests are counted under what they were: area, endpoint, method and status apart.
import { expect, it } from 'vitest';
import { createEvents } from '#core/events.ts';
import { createMetrics } from '#observability/metrics.ts';

it('the same endpoint, method and status in two areas are two series', async () => {
  const events = createEvents();
  const metrics = createMetrics(events);
  const request = { endpoint: 'none', method: 'GET', status: 404, requestId: 'req_1', duration: 0.01, errorCode: null };
  events.emit('request', { ...request, area: 'portfolio' });
  events.emit('request', { ...request, area: 'plants' });
  events.emit('request', { ...request, area: 'plants' });
  const text = await metrics.text();
  const count = (area: string) =>
    new RegExp(`portico_request_duration_seconds_count\\{[^}]*area="${area}"[^}]*\\} (\\d+)`).exec(text)?.[1];
  expect([count('portfolio'), count('plants')]).toEqual(['1', '2']);
});
