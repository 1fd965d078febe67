import { isManageable } from '../../libs/domain/staff/management-grants';
import type { Operation } from './operations';

const SECURITY_SCHEMES = {
  api_key: { type: 'apiKey', in: 'header', name: 'xi-api-key', description: 'The secret of an API key.' },
  single_use_token: {
    type: 'apiKey',
    in: 'header',
    name: 'xi-single-use-token',
    description: 'A token that stands for a key once; also as `?single_use_token=` or `?token=`.',
  },
  service_credential: {
    type: 'http',
    scheme: 'bearer',
    description: "The credential of one of the platform's own services.",
  },
  forwarding_service: {
    type: 'apiKey',
    in: 'header',
    name: 'x-greenroom-service',
    description: "The same, where `Authorization` may be the customer's.",
  },
  management_credential: {
    type: 'http',
    scheme: 'bearer',
    description: 'The credential of a program that uses the staff API (`grm_…`).',
  },
  staff_session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-greenroom.session_token',
    description: 'The session of a member of staff; without TLS the cookie has no `__Host-` in front.',
  },
};

type Requirement = Partial<Record<keyof typeof SECURITY_SCHEMES, never[]>>;

/** The schemes of the credentials that open some of these routes. */
export function schemesOf(operations: readonly Operation[]): Partial<typeof SECURITY_SCHEMES> {
  const used = new Set(operations.flatMap(securityOf).flatMap(Object.keys));
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name)));
}

/** Which credentials open a route; one of them is enough. */
export function securityOf({ access, takesToken, credentialHeader }: Operation): Requirement[] {
  if (access === 'public') return [];
  if (access === 'service')
    return [credentialHeader === undefined ? { service_credential: [] } : { forwarding_service: [] }];
  if (typeof access !== 'string')
    return [
      { staff_session: [] },
      ...(isManageable(access.staff) ? [{ management_credential: [] as never[] }] : []),
    ];
  return [{ api_key: [] }, ...(takesToken ? [{ single_use_token: [] as never[] }] : [])];
}
