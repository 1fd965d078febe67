import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

interface ScimResource {
  id: string;
  externalId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A person whom the identity provider manages: the member of staff, and what it has said of them. */
export interface ScimUser extends ScimResource {
  /** The e-mail address. */
  name: string;
  displayName: string;
  /** As the provider has said: a member is also disabled without a group that gives a role. */
  active: boolean;
  groups: { value: string; display: string }[];
}

export interface ScimGroup extends ScimResource {
  name: string;
  /** Ids of people. */
  members: string[];
}

type ScimFilter = { by: 'id' | 'name' | 'externalId'; value: string };

const RESOURCES = {
  user: `SELECT m.id, m.email AS name, m.name AS "displayName", u.external_id AS "externalId", u.active,
      u.created_at AS "createdAt", u.updated_at AS "updatedAt",
      (SELECT coalesce(json_agg(json_build_object('value', g.id, 'display', g.display_name)), '[]')
       FROM staff_auth.scim_group g WHERE m.id = ANY (g.members)) AS groups
    FROM staff_auth.scim_user u JOIN staff_auth.member m ON m.id = u.id`,
  group: `SELECT id, display_name AS name, external_id AS "externalId", members,
      created_at AS "createdAt", updated_at AS "updatedAt" FROM staff_auth.scim_group`,
};

/** People and groups of the identity provider. */
@Injectable()
export class ScimRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Until the transaction ends, no other changes these tables. */
  async lock(em: EntityManager): Promise<void> {
    await em.query('LOCK TABLE staff_auth.scim_user IN SHARE ROW EXCLUSIVE MODE');
  }

  /** Those that a filter finds, by name, and how many there are. */
  async list<Kind extends 'user' | 'group'>(
    kind: Kind,
    filter: ScimFilter | null,
    { offset, limit } = { offset: 0, limit: 1 },
    em: EntityManager = this.dataSource.manager,
  ): Promise<{ rows: (Kind extends 'user' ? ScimUser : ScimGroup)[]; total: number }> {
    const where = filter ? `r."${filter.by}"::text = $1` : 'true';
    const from = `FROM (${RESOURCES[kind]}) r WHERE ${where}`;
    const values = filter ? [filter.value] : [];
    const page = `SELECT r.* ${from} ORDER BY r.name OFFSET ${offset} LIMIT ${limit}`;
    const rows = await em.query<(Kind extends 'user' ? ScimUser : ScimGroup)[]>(page, values);
    const counted = await em.query<{ total: number }[]>(`SELECT count(*)::int AS total ${from}`, values);
    return { rows, total: counted[0]!.total };
  }

  async saveUser(
    { id, externalId, active }: Pick<ScimUser, 'id' | 'externalId' | 'active'>,
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `INSERT INTO staff_auth.scim_user (id, external_id, active) VALUES ($1, $2, $3)
       ON CONFLICT (id) DO UPDATE SET external_id = $2, active = $3, updated_at = now()`,
      [id, externalId, active],
    );
  }

  /** Of the members, those that are people of the provider. */
  async saveGroup(
    { id, name, externalId, members }: Pick<ScimGroup, 'id' | 'name' | 'externalId' | 'members'>,
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `INSERT INTO staff_auth.scim_group (id, display_name, external_id, members)
       SELECT $1, $2, $3, coalesce(array_agg(u.id ORDER BY u.id), '{}') FROM staff_auth.scim_user u WHERE u.id = ANY ($4::uuid[])
       ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name, external_id = excluded.external_id,
         members = excluded.members, updated_at = now()`,
      [id, name, externalId, members],
    );
  }

  async delete(kind: 'user' | 'group', id: string, em: EntityManager): Promise<void> {
    await em.query(`DELETE FROM staff_auth.scim_${kind} WHERE id = $1`, [id]);
    await em.query(
      `UPDATE staff_auth.scim_group SET members = array_remove(members, $1) WHERE $1 = ANY (members)`,
      [id],
    );
  }
}
