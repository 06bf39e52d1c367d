/*
** regexp_class.c -- regular expressions: character classes.
**
** Without flag v:
**
**     [ [^] (atom | atom - atom)* ]      the first atom not after the second
**
** where an atom is any character but ']' and '\', or an escape sequence.  With
** flag u a class escape such as \d is no end of a range; without it, it makes
** the '-' an ordinary character.
**
** With flag v:
**
**     class   = [ [^] ( union | operand (&& operand)+ | operand (-- operand)+ ) ]
**     union   = (operand | char - char)*
**     operand = char | class escape | class | \q{ string ('|' string)* }
**
** where a char is none of ()[]{}/-\| unless escaped, and no two of the same of
** &!#$%*+,.:;<=>?@^`~ stand together.  After && there is no third &.  A class
** that may match a string of no or several characters is not negated.
*/
#include "codec/regexp/regexp_class.h"
#include "codec/regexp/regexp_esc.h"

/* How deep classes may nest.  Deno gives up at some 7000. */
#define CLASS_MAX_DEPTH 1000

/* A class that is not closed yet. */
typedef struct ClassFrame ClassFrame;
struct ClassFrame {
  u8 eOp;               /* What kind of content, see below */
  u8 bNegated;          /* After [^ */
  u8 bStrings;          /* May match strings */
  u8 bChar;             /* The last operand was a single character: ... */
  u32 cLast;            /* ... this */
};
#define CLASS_EMPTY 0     /* No operand yet */
#define CLASS_FIRST 1     /* One operand */
#define CLASS_UNION 2     /* Operands and ranges */
#define CLASS_BOTH  3     /* Operands with && between them */
#define CLASS_MINUS 4     /* Operands with -- between them */

/*
** Read an atom of a class without flag v.  *pbMany: it is a class escape.
*/
static int classAtom(KvRe *p, u32 *pc, int *pbMany){
  int bStrings;
  *pbMany = 0;
  *pc = kvReCurrent(p);
  if( *pc!='\\' ){
    kvReAdvance(p, 1);
    return 1;
  }
  if( kvReNext(p)=='b' ){
    kvReAdvance(p, 2);
    *pc = '\b';
    return 1;
  }
  if( kvReClassEscape(p, &bStrings) ) return *pbMany = 1;
  return p->zErr==0 && kvReCharEscape(p, 1, pc);
}

/* Read the rest of a class without flag v, after [ or [^. */
static int classRanges(KvRe *p){
  u32 c1, c2;
  int bMany1, bMany2;
  while( kvReCurrent(p)!=']' ){
    if( kvReCurrent(p)==KV_RE_END ) return kvReError(p, "a [ is not closed");
    if( !classAtom(p, &c1, &bMany1) ) return 0;
    if( kvReCurrent(p)!='-' || kvReNext(p)==']' || kvReNext(p)==KV_RE_END ){
      continue;
    }
    kvReAdvance(p, 1);
    if( !classAtom(p, &c2, &bMany2) ) return 0;
    if( bMany1 || bMany2 ){
      if( p->bUnicode ) return kvReError(p, "not a valid range in a class");
    }else if( c1>c2 ){
      return kvReError(p, "a range in a class is out of order");
    }
  }
  kvReAdvance(p, 1);
  return 1;
}

/* Read a single character of a class with flag v. */
static int classSetChar(KvRe *p, u32 *pc){
  u32 c = kvReCurrent(p);
  if( c==KV_RE_END ) return kvReError(p, "a [ is not closed");
  if( c=='\\' ){
    if( kvReNext(p)!='b' ) return kvReCharEscape(p, 1, pc);
    kvReAdvance(p, 2);
    *pc = '\b';
    return 1;
  }
  if( kvReIsOneOf(c, "()[]{}/-|") ){
    return kvReError(p, "this character must be escaped in a class");
  }
  if( kvReIsOneOf(c, "&!#$%*+,.:;<=>?@^`~") && kvReNext(p)==c ){
    return kvReError(p, "not a valid operator in a class");
  }
  kvReAdvance(p, 1);
  *pc = c;
  return 1;
}

/* Read \q{...}.  *pbStrings: a string of other than one character is in it. */
static int classSetStrings(KvRe *p, int *pbStrings){
  u32 c;
  int nChar = 0;
  kvReAdvance(p, 2);
  if( !kvReSkip(p, '{') ) return kvReError(p, "{ expected after \\q");
  for(;;){
    c = kvReCurrent(p);
    if( c=='|' || c=='}' ){
      if( nChar!=1 ) *pbStrings = 1;
      nChar = 0;
      kvReAdvance(p, 1);
      if( c=='}' ) return 1;
    }else{
      if( !classSetChar(p, &c) ) return 0;
      if( nChar<2 ) nChar++;
    }
  }
}

/* Take note of an operand of class f. */
static void classOperand(ClassFrame *f, int bChar, u32 c, int bStrings){
  f->bChar = (u8)bChar;
  f->cLast = c;
  switch( f->eOp ){
    case CLASS_EMPTY:
      f->eOp = CLASS_FIRST;
      f->bStrings = (u8)bStrings;
      break;
    case CLASS_UNION:
      if( bStrings ) f->bStrings = 1;
      break;
    case CLASS_BOTH:
      if( !bStrings ) f->bStrings = 0;
      break;
    default:
      break;
  }
}

/* Read an operand of class f that is not a class in brackets. */
static int classSimple(KvRe *p, ClassFrame *f){
  u32 c = 0;
  int bStrings = 0, bChar = 0;
  if( kvReCurrent(p)=='\\' && kvReNext(p)=='q' ){
    if( !classSetStrings(p, &bStrings) ) return 0;
  }else if( kvReCurrent(p)!='\\' || !kvReClassEscape(p, &bStrings) ){
    if( p->zErr || !classSetChar(p, &c) ) return 0;
    bChar = 1;
  }
  classOperand(f, bChar, c, bStrings);
  return 1;
}

/* Read the - and the second character of a range in class f. */
static int classSetRange(KvRe *p, ClassFrame *f){
  u32 c = 0;
  if( kvReNext(p)=='-' ){
    return kvReError(p, "not a valid operator in a class");
  }
  if( !f->bChar ) return kvReError(p, "not a valid range in a class");
  kvReAdvance(p, 1);
  if( !classSetChar(p, &c) ) return 0;
  if( f->cLast>c ) return kvReError(p, "a range in a class is out of order");
  f->bChar = 0;
  return 1;
}

/*
** Read what stands between two operands of class f, or a range.  *pbMore: an
** operand must follow.
*/
static int classBetween(KvRe *p, ClassFrame *f, int *pbMore){
  u32 c = kvReCurrent(p);
  int bTwice = kvReNext(p)==c;
  *pbMore = 1;
  if( f->eOp==CLASS_FIRST ){
    f->eOp = CLASS_UNION;
    if( c=='-' && bTwice ) f->eOp = CLASS_MINUS;
    if( c=='&' && bTwice ) f->eOp = CLASS_BOTH;
  }
  if( f->eOp==CLASS_UNION ){
    if( c!='-' ) return 1;
    *pbMore = 0;
    return classSetRange(p, f);
  }
  if( !bTwice || c!=(f->eOp==CLASS_BOTH ? '&' : '-') ){
    return kvReError(p, "not a valid operator in a class");
  }
  kvReAdvance(p, 2);
  if( c=='&' && kvReCurrent(p)=='&' ){
    return kvReError(p, "this character must be escaped in a class");
  }
  return 1;
}

/* Begin a class; the cursor is at its '['. */
static void classOpen(KvRe *p, ClassFrame *f){
  memset(f, 0, sizeof(*f));
  kvReAdvance(p, 1);
  f->bNegated = (u8)kvReSkip(p, '^');
}

/* Read a class with flag v.  aFrame has room for CLASS_MAX_DEPTH classes. */
static int classSets(KvRe *p, KvBuf *pStack){
  ClassFrame *f;
  int nDepth = 0, bMore;
  for(;;){
    /* Here an operand must follow, or the first one may */
    if( nDepth==0 || kvReCurrent(p)=='[' ){
      if( nDepth==CLASS_MAX_DEPTH ) return kvReError(p, "classes nest too deeply");
      pStack->n = (u32)(nDepth*(int)sizeof(ClassFrame));
      if( kvBufGrow(pStack, sizeof(ClassFrame))!=KV_OK ){
        return kvReNoMem(p);
      }
      f = &((ClassFrame*)(void*)pStack->a)[nDepth++];
      classOpen(p, f);
      if( kvReCurrent(p)!=']' ) continue;
    }else{
      f = &((ClassFrame*)(void*)pStack->a)[nDepth-1];
      if( !classSimple(p, f) ) return 0;
    }
    /* And here anything but an operand of an operator */
    for(bMore=0; !bMore; ){
      if( kvReCurrent(p)==KV_RE_END ) return kvReError(p, "a [ is not closed");
      if( kvReCurrent(p)==']' ){
        int bStrings = f->bStrings;
        if( bStrings && f->bNegated ){
          return kvReError(p, "a negated class may not hold strings");
        }
        kvReAdvance(p, 1);
        if( --nDepth==0 ) return 1;
        f--;
        classOperand(f, 0, 0, bStrings);
      }else if( !classBetween(p, f, &bMore) ){
        return 0;
      }
    }
  }
}

int kvReClass(KvRe *p){
  ClassFrame aSpace[8];
  KvBuf stack;
  int bOk;
  if( !p->bSets ){
    kvReAdvance(p, 1);
    kvReSkip(p, '^');
    return classRanges(p);
  }
  kvBufInit(&stack, aSpace, sizeof(aSpace));
  bOk = classSets(p, &stack);
  kvBufClear(&stack);
  return bOk;
}
