// Session: who is signed in, as what.
import { createContext, useContext } from 'react';
import { Viewer } from '../generated/operations.ts';
import { useRead } from '../graphql/hooks.ts';
import type { BodyOf } from '../graphql/operation.ts';

export type ViewerBody = BodyOf<typeof Viewer>;
export type Role = 'firm_member' | 'client' | 'ops';

export const useViewerQuery = () => useRead(Viewer, {});

/** Set by SignedIn around everything that needs a viewer: what stands below is gone before there is none. */
export const ViewerContext = createContext<ViewerBody | null>(null);

export function useViewer(): ViewerBody {
  const viewer = useContext(ViewerContext);
  if (viewer === null) throw new Error('Only pages inside the shell have a viewer.');
  return viewer;
}

/** `https://api.example.com`: where partners call. */
export const apiBaseUrl = (viewer: ViewerBody): string => viewer.apiBaseUrl ?? location.origin;
