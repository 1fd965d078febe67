import type { ApiKeyView } from '@app/database/keys/api-key-view';
import type { Subscriber } from './user.service';

/** An account's tier and what it has used, with every field that the wire contract requires. */
interface SubscriptionResponse {
  tier: string;
  character_count: number;
  character_limit: number;
  max_character_limit_extension: number | null;
  max_credit_limit_extension: number;
  can_extend_character_limit: boolean;
  allowed_to_extend_character_limit: boolean;
  next_character_count_reset_unix: number;
  voice_slots_used: number;
  professional_voice_slots_used: number;
  professional_voice_slots_used_in_workspace: number;
  voice_limit: number;
  max_voice_add_edits: number | null;
  voice_add_edit_counter: number;
  professional_voice_limit: number;
  can_extend_voice_limit: boolean;
  can_use_instant_voice_cloning: boolean;
  can_use_professional_voice_cloning: boolean;
  currency: string | null;
  current_overage: { amount: string; currency: string };
  status: 'active' | 'free';
  billing_period: string;
  character_refresh_period: string;
}

export interface ExtendedSubscriptionResponse extends SubscriptionResponse {
  open_invoices: never[];
  has_open_invoices: boolean;
  next_invoice: null;
  pending_change: null;
}

export interface UserResponse {
  user_id: string;
  workspace_id: string;
  subscription: SubscriptionResponse;
  is_new_user: boolean;
  can_use_delayed_payment_methods: boolean;
  is_onboarding_completed: boolean;
  is_onboarding_checklist_completed: boolean;
  show_compliance_terms: boolean;
  is_api_key_hashed: boolean;
  xi_api_key_preview: string | null;
  first_name: string | null;
  created_at: number;
  seat_type: 'workspace_admin';
}

/** Nothing here is billed: what the contract says about invoices, overage and extensions is always none. */
function toSubscription({ account, usage }: Subscriber): SubscriptionResponse {
  return {
    tier: account.tier,
    character_count: usage.creditsUsed,
    character_limit: usage.creditLimit,
    max_character_limit_extension: null,
    max_credit_limit_extension: 0,
    can_extend_character_limit: false,
    allowed_to_extend_character_limit: false,
    next_character_count_reset_unix: toUnix(usage.periodEnd),
    voice_slots_used: usage.voicesUsed,
    professional_voice_slots_used: 0,
    professional_voice_slots_used_in_workspace: 0,
    voice_limit: account.voiceLimit,
    max_voice_add_edits: null,
    voice_add_edit_counter: usage.voicesAdded,
    professional_voice_limit: 0,
    can_extend_voice_limit: false,
    can_use_instant_voice_cloning: account.recordingsConsentedAt !== null,
    can_use_professional_voice_cloning: false,
    currency: null,
    current_overage: { amount: '0', currency: 'usd' },
    status: account.tier === 'free' ? 'free' : 'active',
    billing_period: 'monthly_period',
    character_refresh_period: 'monthly_period',
  };
}

export function toExtendedSubscription(subscriber: Subscriber): ExtendedSubscriptionResponse {
  return {
    ...toSubscription(subscriber),
    open_invoices: [],
    has_open_invoices: false,
    next_invoice: null,
    pending_change: null,
  };
}

export function toUser(subscriber: Subscriber, key: ApiKeyView | null): UserResponse {
  const { account } = subscriber;
  return {
    user_id: account.id,
    workspace_id: account.id,
    subscription: toSubscription(subscriber),
    is_new_user: false,
    can_use_delayed_payment_methods: false,
    is_onboarding_completed: true,
    is_onboarding_checklist_completed: true,
    show_compliance_terms: false,
    is_api_key_hashed: true,
    xi_api_key_preview: key?.maskedSecret ?? null,
    first_name: account.name,
    created_at: toUnix(account.createdAt),
    seat_type: 'workspace_admin',
  };
}

function toUnix(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
