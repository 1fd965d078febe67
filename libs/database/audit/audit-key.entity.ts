import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key that events were signed with before APP_SECRET was replaced, sealed with the present one. */
@Entity('audit_key')
export class AuditKey {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  sealedKey: string;
}
