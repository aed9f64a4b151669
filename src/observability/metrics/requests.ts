// Metrics: requests, their durations by stage, and their refusals. No label identifies a caller, a key or a client.
import { Counter, type Registry } from 'prom-client';
import type { Events } from '#core/events.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { NEAR_PERCENT } from '#core/near-limit.ts';
import { STAGES, type Stage } from '#core/stages.ts';
import { Durations, type Series } from './durations.ts';

export function countRequests(events: Events, registry: Registry): void {
  const registers = [registry];
  const duration = new Durations(
    'portico_request_duration_seconds',
    'Duration of requests, by route template or operation.',
    registry,
  );
  const stage = new Durations(
    'portico_stage_duration_seconds',
    'Duration of each stage of a request; database is the part of the other stages that waited for statements.',
    registry,
  );
  const refusals = new Counter({
    name: 'portico_refusals_total',
    help: 'Refused requests by error code.',
    labelNames: ['area', 'code', 'tier'],
    registers,
  });
  const nearLimit = new Counter({
    name: 'portico_near_limit_requests_total',
    help: `Admitted requests with at least ${NEAR_PERCENT} % of the limit of their key or firm in use.`,
    labelNames: ['tier'],
    registers,
  });
  const shadowRefusals = new Counter({
    name: 'portico_shadow_refusals_total',
    help: "Requests admitted only because their key's limit is in shadow mode, by error code.",
    labelNames: ['code', 'tier'],
    registers,
  });
  const failures = new Counter({
    name: 'portico_failures_total',
    help: 'Failures of the gateway, by endpoint or background work.',
    labelNames: ['where'],
    registers,
  });
  const access = new Counter({ name: 'portico_access_total', help: 'Calls that name a client.', registers });
  const tools = new Counter({
    name: 'portico_tool_requests_total',
    help: 'Requests of internal tools by role, and whether they acted as a key.',
    labelNames: ['role', 'acting'],
    registers,
  });
  const signIns = new Counter({
    name: 'portico_sign_ins_total',
    help: 'Attempts to sign in to the portal, by method and outcome; a second factor is an attempt of its own.',
    labelNames: ['way', 'outcome'],
    registers,
  });

  const stages = new Map<string, Record<Stage, Series>>();
  const seriesOf = (area: string) =>
    Object.fromEntries(
      STAGES.map((name) => [name, stage.of(`${area} ${name}`, () => ({ area, stage: name }))]),
    ) as Record<Stage, Series>;

  events.on('request', (request) => {
    const { area, endpoint, method, status, times, errorCode, key, tool } = request;
    const tier = key?.tier ?? 'none';
    const labels = () => ({ area, endpoint, method, status: String(status), tier });
    const series = duration.of(`${area} ${method} ${endpoint} ${status} ${tier}`, labels);
    series.observe((times.ended - times.began) / 1_000);
    const ofArea = getOrInsert(stages, area, () => seriesOf(area));
    for (const name of STAGES) if (times.spent[name] > 0) ofArea[name].observe(times.spent[name] / 1_000);
    if (errorCode !== null) refusals.inc({ area, code: errorCode, tier });
    if (request.nearLimit?.refused === false && request.shadowRefusal === null) nearLimit.inc({ tier });
    if (request.shadowRefusal !== null) shadowRefusals.inc({ code: request.shadowRefusal, tier });
    if (tool !== undefined) tools.inc({ role: tool.role, acting: String(tool.actedAs !== null) });
  });
  events.on('failure', ({ where }) => failures.inc({ where }));
  events.on('access', ({ clientId }) => {
    if (clientId !== null) access.inc();
  });
  events.on('signIn', ({ way, outcome }) => signIns.inc({ way, outcome }));
}
