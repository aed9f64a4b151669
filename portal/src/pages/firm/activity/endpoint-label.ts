// Firm: endpoints as the activity page names them.

/** Of a call to no endpoint the API records `*` in place of a route. */
export function endpointLabel(endpoint: string): string {
  const [method = '', route = ''] = endpoint.split(' ');
  return route === '*' ? `${method}, no endpoint` : endpoint.replace('/api/v1', '');
}

/** What was called, as far as it is known. */
export function calledPath(endpoint: string, registryId: string | null, path: string | null): string {
  if (path !== null) return `${endpoint.split(' ')[0]} ${path}`;
  const called = endpointLabel(endpoint);
  return registryId === null ? called : called.replace('{registry_id}', registryId);
}
