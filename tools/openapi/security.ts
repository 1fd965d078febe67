import type { Operation } from './operations';

export const SECURITY_SCHEMES = {
  api_key: { type: 'apiKey', in: 'header', name: 'xi-api-key', description: 'The secret of an API key.' },
  service_credential: {
    type: 'http',
    scheme: 'bearer',
    description: "The credential of one of the platform's own services.",
  },
  staff_session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-greenroom.session_token',
    description: 'The session of a member of staff; without TLS the cookie has no `__Host-` in front.',
  },
};

type Requirement = Partial<Record<keyof typeof SECURITY_SCHEMES, never[]>>;

/** Which credentials open a route; one of them is enough. */
export function securityOf({ access }: Operation): Requirement[] {
  if (access === 'public') return [];
  if (access === 'service') return [{ service_credential: [] }];
  return typeof access === 'string' ? [{ api_key: [] }] : [{ staff_session: [] }];
}
