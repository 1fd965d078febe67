/** A suspended account can be reactivated; a closed one never. */
export type AccountStatus = 'active' | 'suspended' | 'closed';
