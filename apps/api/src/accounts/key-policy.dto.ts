import { BooleanField } from '../http/fields';

export class ThirdPartyDisablingBody {
  /** Null for the default, which is true. */
  @BooleanField({ nullable: true })
  third_party_disable_allowed: boolean | null;
}
