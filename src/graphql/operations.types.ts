import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf } from './connection.js';
import { Invoice } from './invoice.types.js';

@ObjectType({ description: 'Work that was given up and waits for an operator.' })
export class DeadLetter {
  @Field(() => String) queue!: string;
  @Field(() => String) code!: string;
  @Field(() => String) message!: string;
  @Field(() => Int, { description: 'Failed attempts, the last one included.' }) attempts!: number;
  @Field(() => GraphQLDateTime) failedAt!: Date;
}

export const DeadLetterConnection = connectionOf('DeadLetter', () => DeadLetter);

@ObjectType({ description: 'How much waits where.' })
export class Pipeline {
  @Field(() => Int) outboxPending!: number;
  @Field(() => Float) outboxOldestSeconds!: number;
  @Field(() => Int) pdfPending!: number;
  @Field(() => Int) pdfProcessing!: number;
  @Field(() => Int) pdfFailed!: number;
  @Field(() => Int) notificationPending!: number;
  @Field(() => Int) notificationFailed!: number;
  @Field(() => Int) deadLetters!: number;
}

@InputType()
export class ReplayDeadLetterInput {
  @Field(() => ID) id!: string;
}

@ObjectType()
export class ReplayDeadLetterPayload {
  @Field(() => Invoice) invoice!: Invoice;
}

@InputType({ description: 'All conditions must hold; the oldest go first.' })
export class ReplayDeadLettersInput {
  @Field(() => String, { nullable: true }) queue?: string | null;
  @Field(() => String, { nullable: true }) code?: string | null;
  @Field(() => Int, { nullable: true, defaultValue: 100, description: '1 to 1,000.' }) limit?: number | null;
}

@ObjectType()
export class ReplayDeadLettersPayload {
  @Field(() => Int) replayed!: number;
}
