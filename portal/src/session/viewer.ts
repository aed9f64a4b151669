// Session: the signed-in user.
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { Viewer, type ViewerQuery } from '../generated/operations.ts';
import { noteActingAs } from '../graphql/acting-as.ts';
import { call } from '../graphql/call.ts';
import { keyOf } from '../graphql/hooks.ts';
import type { PorticoError } from '../graphql/portico-error.ts';

export type ViewerBody = ViewerQuery['body'];
export type Role = 'firm_member' | 'client' | 'ops';

/** Later calls are marked as meant for this viewer. */
export async function readViewer(): Promise<ViewerBody> {
  const viewer = await call(Viewer, {});
  noteActingAs(viewer.userId);
  return viewer;
}

export const useViewerQuery = (): UseQueryResult<ViewerBody, PorticoError> =>
  useQuery({ queryKey: keyOf(Viewer, {}), queryFn: readViewer });

/** Set by SignedIn around everything that needs a viewer, and unmounted before there is none. */
export const ViewerContext = createContext<ViewerBody | null>(null);

export function useViewer(): ViewerBody {
  const viewer = useContext(ViewerContext);
  if (viewer === null) throw new Error('Only pages inside the shell have a viewer.');
  return viewer;
}

/** `https://api.example.com`: the base URL for partners. */
export const apiBaseUrl = (viewer: ViewerBody): string => viewer.apiBaseUrl ?? location.origin;
