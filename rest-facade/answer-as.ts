// REST facade: the body that a partner would be answered, without a request: what a client is shown as a preview.
import { Refusal, refuse } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { AnswerAs } from '#gateway/consent/preview.ts';
import type { PreparedDocument, Schemas } from '#gateway/execution/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { MAX_URL, pathOf, pathPattern } from '#http/path.ts';
import { toRefusal } from '#http/refusals.ts';
import { answer } from './answer.ts';
import { loadDocument } from './documents.ts';
import { portfolioError } from './errors.ts';
import { readQuery } from './query.ts';
import { routes } from './routes/index.ts';
import type { Route } from './routes/route.ts';

interface Target {
  route: Route;
  document: PreparedDocument;
  /** Matches a path; its first group is the registry id, still encoded. */
  pattern: RegExp;
}

/** Answers paths of area A; any other is answered like an unknown path. */
export function createAnswerAs(gateway: Gateway, schemas: Schemas): AnswerAs {
  const targets = routes.map((route) => ({
    route,
    document: loadDocument(route.document, schemas),
    pattern: pathPattern(route.path),
  }));
  return async (admit, target, wanted) => {
    try {
      if (target.length > MAX_URL) throw new Refusal('uri_too_long');
      const { route, document, registryId } = find(targets, target);
      const version = gateway.negotiator.negotiate(wanted ?? gateway.negotiator.dates.at(-1));
      const query = readQuery(target);
      const [clientId = null] = query.get('client_id') ?? [];
      const asked = { route, document, version, query, registryId };
      const { text } = await answer(gateway, asked, () => admit(clientId));
      return { status: 200, body: text };
    } catch (error) {
      const refusal = toRefusal(error);
      // A failure on our side is reported as one, not shown as if a partner had met it.
      if (refusal.status >= 500) throw error;
      return { status: refusal.status, body: portfolioError(refusal, newId('request')) };
    }
  };
}

function find(targets: readonly Target[], target: string) {
  const path = pathOf(target);
  for (const { route, document, pattern } of targets) {
    const match = pattern.exec(path);
    if (match !== null) return { route, document, registryId: decoded(match[1]) };
  }
  throw new Refusal('route_not_found');
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    refuse('malformed_request', 'The path has malformed percent-encoding.');
  }
}
