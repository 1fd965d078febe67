import type { StaffRole } from '@app/domain/staff/staff-permissions';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** A member of staff. The sign-in library reads and writes this table too. */
@Entity({ schema: 'staff_auth', name: 'member' })
export class StaffMember {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  /** In lower case. */
  @Index('member_email_idx', { unique: true })
  @Column('text')
  email: string;

  @Column('boolean', { default: true })
  emailVerified: boolean;

  /** Of the library; unused. */
  @Column('text', { nullable: true })
  image: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;

  @Column('boolean', { default: false })
  twoFactorEnabled: boolean;

  /** How many passkeys the member has. */
  @Column('int', { default: 0 })
  passkeys: number;

  @Column('text')
  role: StaffRole;

  @Column('timestamptz', { nullable: true })
  disabledAt: Date | null;

  /** Set while the password is one that another person or the first start has chosen. */
  @Column('boolean', { default: false })
  mustChangePassword: boolean;

  /** Until when such a password works; null when it has no end. */
  @Column('timestamptz', { nullable: true })
  oneTimePasswordUntil: Date | null;

  /** Until when a password works although passwords are off. */
  @Column('timestamptz', { nullable: true })
  emergencyUntil: Date | null;

  /** Counts changes by staff. */
  @Column('int', { default: 1 })
  version: number;
}
