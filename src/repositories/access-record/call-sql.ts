// Repositories: SQL of the calls `r` of the clients' record, with the values that they reference by number.

/** For a statement with CALL_NAMES. */
export const CALL_COLUMNS = `r.at, p.client_id as "clientId", n.firm_id as "firmId", p.key_id as "keyId", s.endpoint,
  nullif(r.registry_id, '') as "registryId", s.scopes, r.status, s.error_code as "errorCode", s.tool_role as "toolRole",
  s.tool_id as "toolId", s.disclosed, s.includes, s.version`;

export const CALL_NAMES = `join access_pairs p on p.number = r.pair join access_keys n on n.number = r.key
  join access_shapes s on s.number = r.shape`;
