import type { ScimGroup, ScimUser } from '@app/database/staff/scim.repository';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';

/** @param base the address of all resources, as the caller has reached it */
export function toScimResource(resource: ScimUser | ScimGroup, base: string) {
  const { id, externalId, createdAt, updatedAt } = resource;
  const type = 'active' in resource ? 'User' : 'Group';
  const [created, lastModified] = [createdAt.toISOString(), updatedAt.toISOString()];
  return {
    schemas: [`${CORE}:${type}`],
    id,
    ...(externalId !== null && { externalId }),
    ...('active' in resource ? userFields(resource) : groupFields(resource)),
    meta: { resourceType: type, created, lastModified, location: `${base}/${type}s/${id}` },
  };
}

function userFields({ name, displayName, active, groups }: ScimUser) {
  const emails = [{ value: name, primary: true }];
  return { userName: name, displayName, name: { formatted: displayName }, emails, active, groups };
}

function groupFields({ name, members }: ScimGroup) {
  return { displayName: name, members: members.map((value) => ({ value })) };
}

export function toScimList(resources: readonly object[], totalResults = resources.length, startIndex = 1) {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  return { schemas, totalResults, startIndex, itemsPerPage: resources.length, Resources: resources };
}

export const MAX_SCIM_RESULTS = 200;

/** RFC 7643, 5. */
export const SERVICE_PROVIDER_CONFIG = {
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_SCIM_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    { type: 'oauthbearertoken', name: 'Bearer', description: 'SCIM_TOKEN', primary: true },
  ],
};

export const RESOURCE_TYPES = ['User', 'Group'].map((name) => ({
  schemas: [`${CORE}:ResourceType`],
  id: name,
  name,
  endpoint: `/${name}s`,
  schema: `${CORE}:${name}`,
}));

const DEFAULTS = { type: 'string', multiValued: false, required: false, mutability: 'readWrite' };
const attribute = (name: string, more: object = {}) => ({ name, ...DEFAULTS, ...more });
const REFERENCES = { type: 'complex', multiValued: true, subAttributes: [attribute('value')] };
const NAMES = ['formatted', 'givenName', 'familyName'].map((name) => attribute(name));

/** What is stored of each: everything else that a provider sends is ignored. */
export const SCHEMAS = Object.entries({
  User: [
    attribute('userName', { required: true, uniqueness: 'server', mutability: 'immutable' }),
    attribute('displayName'),
    attribute('name', { type: 'complex', subAttributes: NAMES }),
    attribute('active', { type: 'boolean' }),
    attribute('groups', { ...REFERENCES, mutability: 'readOnly' }),
  ],
  Group: [
    attribute('displayName', { required: true, uniqueness: 'server' }),
    attribute('members', REFERENCES),
  ],
}).map(([name, attributes]) => ({ schemas: [`${CORE}:Schema`], id: `${CORE}:${name}`, name, attributes }));
