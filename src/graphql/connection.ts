import { type ClassType, Field, ObjectType } from 'type-graphql';
import { cursorOf, type Page } from '../kernel/page.js';

@ObjectType()
export class PageInfo {
  @Field(() => Boolean) hasNextPage!: boolean;
  @Field(() => Boolean, { description: 'Always false: lists are read forwards.' }) hasPreviousPage!: boolean;
  @Field(() => String, { nullable: true }) startCursor!: string | null;
  @Field(() => String, { nullable: true }) endCursor!: string | null;
}

export interface Connection<T> {
  edges: { cursor: string; node: T }[];
  pageInfo: PageInfo;
}

/** The Relay connection of a type: {name}Connection with its edges, newest first. */
export function connectionOf(name: string, nodeType: () => ClassType): ClassType {
  @ObjectType(`${name}Edge`)
  class Edge {
    @Field(() => String) cursor!: string;
    @Field(nodeType) node!: unknown;
  }

  @ObjectType(`${name}Connection`)
  class ConnectionType {
    @Field(() => [Edge]) edges!: Edge[];
    @Field(() => PageInfo) pageInfo!: PageInfo;
  }
  return ConnectionType;
}

export function toConnection<T extends { id: string }>({ items, hasNextPage }: Page<T>): Connection<T> {
  const edges = items.map((node) => ({ cursor: cursorOf(node.id), node }));
  return {
    edges,
    pageInfo: {
      hasNextPage,
      hasPreviousPage: false,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
