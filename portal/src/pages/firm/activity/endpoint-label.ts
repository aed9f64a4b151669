// Firm: names of endpoints on the activity page.

/** For a call to no endpoint, the API records `*` instead of a route. */
export function endpointLabel(endpoint: string): string {
  const [method = '', route = ''] = endpoint.split(' ');
  return route === '*' ? `${method}, no endpoint` : endpoint.replace('/api/v1', '');
}

/** The path of the call, as far as it is known. */
export function calledPath(endpoint: string, registryId: string | null, path: string | null): string {
  if (path !== null) return `${endpoint.split(' ')[0]} ${path}`;
  const called = endpointLabel(endpoint);
  return registryId === null ? called : called.replace('{registry_id}', registryId);
}
