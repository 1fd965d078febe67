import type { StaffRole } from '@app/domain/staff/staff-permissions';
import { Column, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** What a role requires of its members. One row a role, since the migration. */
@Entity({ schema: 'staff_auth', name: 'role_policy' })
export class RolePolicy {
  @PrimaryColumn('text')
  role: StaffRole;

  @Column('boolean', { default: false })
  secondFactorRequired: boolean;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;

  @Column('int', { default: 1 })
  version: number;
}
