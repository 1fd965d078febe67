import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { ServiceCredential } from '@app/database/keys/service-credential.entity';
import { checkForwardRules, type ForwardRule } from '@app/domain/keys/forward-rules';
import { ReasonBody } from '../http/reason';
import { CheckedField, StringField } from '../http/fields';

export class CreateServiceCredentialBody extends ReasonBody {
  /** The service that will use it. */
  @StringField({ min: 1, max: 100 })
  name: string;
}

export class ForwardRulesBody extends ReasonBody {
  /** All of them, of which the most specific decides; none forwards nothing. */
  @CheckedField(checkForwardRules)
  forward_rules: ForwardRule[];
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
  /** Which requests a reverse proxy may forward with it (`/introspect/forward`), and what they need and cost. */
  forward_rules: ForwardRule[];
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
    forward_rules: credential.forwardRules,
    version: credential.version,
  };
}
