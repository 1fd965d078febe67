import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { ServiceCredential } from '@app/database/keys/service-credential.entity';
import { ReasonBody } from '../http/reason';
import { StringField } from '../http/fields';

export class CreateServiceCredentialBody extends ReasonBody {
  /** The service that will use it. */
  @StringField({ min: 1, max: 100 })
  name: string;
}

export interface ServiceCredentialResponse {
  id: string;
  name: string;
  /** The part of the secret by which people recognise it. */
  hint: string;
  enabled: boolean;
  disabled_at: string | null;
  created_by: string;
  created_at: string;
  last_used_at: string | null;
  last_used_address: string | null;
  version: number;
  receipt?: ChangeReceipt | null;
}

/** With the secret, which is shown this once. */
export interface NewServiceCredentialResponse extends ServiceCredentialResponse {
  secret: string;
}

export function toServiceCredentialResponse(credential: ServiceCredential): ServiceCredentialResponse {
  return {
    id: credential.id,
    name: credential.name,
    hint: credential.maskedSecret,
    enabled: credential.disabledAt === null,
    disabled_at: credential.disabledAt?.toISOString() ?? null,
    created_by: credential.createdBy,
    created_at: credential.createdAt.toISOString(),
    last_used_at: credential.lastUsedAt?.toISOString() ?? null,
    last_used_address: credential.lastUsedAddress,
    version: credential.version,
  };
}
