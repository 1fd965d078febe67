import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The permission that a route of observed traffic requires, as the api said when it last started. */
@Entity('route_permission')
export class RoutePermission {
  /** As in `observed_traffic`. */
  @PrimaryColumn('text')
  route: string;

  /** Null for a route that every key may call. */
  @Column('text', { nullable: true })
  permission: string | null;
}
