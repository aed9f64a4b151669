// REST facade: the response that a partner would get, without an HTTP request: for a client's preview.
import { Refusal, refuse } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { AnswerAs } from '#gateway/consent/preview.ts';
import type { PreparedDocument, Schemas } from '#gateway/execution/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { pathOf, pathPattern, refusedTarget } from '#http/path.ts';
import { errorBody, toRefusal } from '#http/refusals.ts';
import { answer } from './answer.ts';
import { loadDocument } from './prepared-documents.ts';
import { readQuery } from './query.ts';
import { routes } from './routes/index.ts';
import type { Route } from './routes/route.ts';

interface Target {
  route: Route;
  document: PreparedDocument;
  /** Matches a path. The first group is the registry id, still encoded. */
  pattern: RegExp;
}

/** Responds to paths of area A; any other is treated as an unknown path. */
export function createAnswerAs(gateway: Gateway, schemas: Schemas): AnswerAs {
  const targets = routes.map((route) => ({
    route,
    document: loadDocument(route.document, schemas),
    pattern: pathPattern(route.path),
  }));
  return async (admit, target, wanted) => {
    try {
      const refused = refusedTarget(target);
      if (refused !== null) throw refused;
      const { route, document, registryId } = find(targets, target);
      const version = gateway.negotiator.negotiate(wanted ?? gateway.negotiator.dates.at(-1));
      const query = readQuery(target);
      const [clientId = null] = query.get('client_id') ?? [];
      const asked = { route, document, version, query, registryId };
      const { text } = await answer(gateway, asked, () => admit(clientId));
      return { status: 200, body: text };
    } catch (error) {
      const refusal = toRefusal(error);
      // A failure of our own is reported as such, not shown as a partner's response.
      if (refusal.status >= 500) throw error;
      return { status: refusal.status, body: errorBody(refusal, newId('request')) };
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
