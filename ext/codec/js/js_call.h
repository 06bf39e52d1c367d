/*
** js_call.h -- what the parser of JS text shares with the evaluation of
** constructor calls.
**
** js_parse.c reads the text and keeps the stack of open constructs, js_refs.c
** knows which object is which; js_call.c and js_view.c turn the finished
** arguments of `new Map(...)`, `Object.assign(...)`, `new Uint8Array(...)` and so
** on into nodes, mostly by changing the argument's own nodes.  Nothing here is
** recursive.
*/
#ifndef KV_JS_CALL_H
#define KV_JS_CALL_H

#include "codec/value.h"
#include "codec/js/js_lex.h"

/*
** What is called: the low four bits; eSub of the VIEW or ERROR above them.
*/
enum {
  KV_CALL_MAP = 1, KV_CALL_SET, KV_CALL_DATE, KV_CALL_REGEXP, KV_CALL_U64,
  KV_CALL_BUFFER, KV_CALL_NUMBER, KV_CALL_STRING, KV_CALL_BOOLEAN,
  KV_CALL_ARRAY, KV_CALL_OBJECT, KV_CALL_ASSIGN, KV_CALL_ERROR, KV_CALL_VIEW
};
#define KV_CALL(E,SUB)    ((E) | (SUB)<<4)
#define KV_CALL_KIND(E)   ((E) & 15)
#define KV_CALL_SUB(E)    ((E) >> 4)

/* KvNode.eSpare while a text is parsed: a label stands before this object. */
#define KV_LABELLED 1

/* Bytes of buffer content that the text doesn't spell out, in one value. */
#define KV_MAX_FILL (64u<<20)

/*
** An open construct.  Its finished parts are the nodes from iFirst to iLast,
** linked by iNext; iNode is the node that will own them, if there is one yet.
*/
typedef struct KvJsFrame KvJsFrame;
struct KvJsFrame {
  u8 eFrame;              /* JSP_xxx in js_parse.c */
  u8 bOrder;              /* OBJECT: the pairs need kvTreeOrderPairs();
                          ** ARRAY: the properties have begun */
  u8 bHalf;               /* A key was read, its value comes next */
  u8 cClose;              /* CALL: the closing byte, or 0 if there is none */
  u16 eCall;              /* CALL: KV_CALL() */
  u16 bCount;             /* nClaim is what the text says about the size */
  u32 iNode;              /* The container, or the definition of a LABEL */
  u32 iFirst, iLast;      /* The parts so far, 0: none */
  u32 n;                  /* Pairs, elements or arguments so far */
  u32 iElem;              /* ARRAY: the last node of an element, 0: none */
  u32 nPair;              /* ARRAY: pairs after the elements */
  u64 m;                  /* OBJECT: a bit for each key's hash.
                          ** ARRAY: the index of the next element */
  u64 nClaim;
  const char *zAt;        /* Where the construct starts */
};

/* A <ref *N> */
typedef struct KvJsDef KvJsDef;
struct KvJsDef {
  u32 iNode;              /* Its object; KV_NO_NODE while that is open, and in
                          ** the end if it is no part of the value */
  u32 iLabel;             /* N */
};

typedef struct KvJsp KvJsp;
struct KvJsp {
  KvLex lex;              /* The text, the first error */
  KvTree *pTree;
  u32 iVal;               /* The value that is complete */
  u8 bJson;               /* JSON text */
  u8 bDigits;             /* ... for kvJsonParseDigits() */
  KvJsFrame *aFrame;      /* Open constructs, innermost last */
  u32 nFrame, nFrameAlloc;
  KvJsDef *aDef;          /* Each <ref *N>.  A REF has n an index into it and u.u
                          ** its offset in the text until all is read */
  u32 nDef, nDefAlloc;
  u32 *aLabel;            /* 1 + index into aDef of label N, 0: none.  When all is
                          ** read js_refs.c has its own marks in it */
  u32 nLabel;
  u64 nFill;              /* Of KV_MAX_FILL used */
  u64 nWork;              /* Elements walked to merge pairs into arrays */
};

/* Record a failed allocation and return the code. */
int kvJspNoMem(KvJsp *p);
/* Append a node; KV_NO_NODE, with the error recorded, without memory. */
static inline u32 kvJspAdd(KvJsp *p, u8 eKind){
  u32 i = kvTreeAdd(p->pTree, eKind);
  if( i==KV_NO_NODE ) kvJspNoMem(p);
  return i;
}
/* A STRING node for ASCII or WTF-8 that outlive the tree. */
u32 kvJspString(KvJsp *p, KvBytes s);
/* The node that a value stands for: a REF's target if it is complete. */
u32 kvJspDeref(const KvJsp *p, u32 iNode);

/*
** js_parse.c
*/

/* KvJsFrame.eFrame */
enum {
  JSP_ARRAY = 1,          /* [ ... ] */
  JSP_OBJECT,             /* { ... } */
  JSP_MAP,                /* Map { k => v } */
  JSP_SET,                /* Set { ... } */
  JSP_GROUP,              /* ( ... ) */
  JSP_LABEL,              /* <ref *N> ... */
  JSP_CALL                /* X( ... ), [X: ...], X(n) [...] */
};

/* What a step leaves to do */
enum {
  JSP_VALUE,              /* A value comes next */
  JSP_DONE,               /* p->iVal is complete */
  JSP_END,                /* So is the whole text */
  JSP_FAIL                /* p->lex.err says why not */
};

/* What was expected, when nothing of it came. */
#define JSP_WHAT "expected a value: null, true, 1, 1n, \"text\", [...], {...}, /re/, new Map(...)" \
                 ", new Date(...), new Uint8Array([...])"
/* A name came: an identifier, a call, text without quotes. */
#define JSP_NAME "a literal is expected, not a name: JS text is data, and nothing in it is looked up or " \
                 "called; put text in quotes, \"abc\", and write a time as new Date(\"2024-05-01\") or new Date(ms)"

static inline int kvJspError(KvJsp *p, const char *zAt, const char *zMsg){
  kvLexError(&p->lex, zAt, zMsg);
  return JSP_FAIL;
}

/* Skip white space; true after an error. */
static inline int kvJspSpace(KvJsp *p){
  if( !p->bJson ) return kvLexSpace(&p->lex);
  while( p->lex.z<p->lex.zEnd
      && (*p->lex.z==' ' || *p->lex.z=='\n' || *p->lex.z=='\r' || *p->lex.z=='\t')
  ){
    p->lex.z++;
  }
  return 0;
}

/* The next byte, or 0 at the end. */
static inline u8 kvJspPeek(const KvJsp *p){
  return p->lex.z<p->lex.zEnd ? (u8)*p->lex.z : 0;
}

/* Skip white space and then the byte c, if it comes next. */
static inline int kvJspAccept(KvJsp *p, u8 c){
  if( kvJspSpace(p) || kvJspPeek(p)!=c ) return 0;
  p->lex.z++;
  return 1;
}

/* The innermost open construct, or 0. */
static inline KvJsFrame *kvJspTop(KvJsp *p){
  return p->nFrame ? &p->aFrame[p->nFrame-1] : 0;
}

static inline int kvJspIsDigit(u8 c){ return c>='0' && c<='9'; }

/* Open a construct.  0 when memory runs out. */
KvJsFrame *kvJspPush(KvJsp *p, u8 eFrame, const char *zAt);
/*
** A node for a value that starts here.  The outermost value is the root,
** whose node was made first.
*/
static inline u32 kvJspNode(KvJsp *p, u8 eKind){
  if( p->nFrame ) return kvJspAdd(p, eKind);
  memset(p->pTree->aNode, 0, sizeof(KvNode));
  p->pTree->aNode[0].eKind = eKind;
  return 0;
}
/* Open a container whose node is made now. */
int kvJspOpen(KvJsp *p, u8 eFrame, u8 eKind, const char *zAt);
/* A value without children; its n. */
int kvJspScalar(KvJsp *p, u8 eKind, u32 n);
/* A NUMBER.  There is only one NaN. */
int kvJspNumber(KvJsp *p, double r);
/* Evaluate the call that is the top frame. */
int kvJspCloseCall(KvJsp *p);
/* .buffer and .transferToImmutable() behind a value. */
int kvJspSuffix(KvJsp *p);

/*
** js_word.c: read what is at the cursor.
*/

int kvJspReadString(KvJsp *p);  /* '"' or '\'' or '`' */
int kvJspReadDigit(KvJsp *p);   /* A digit */
int kvJspReadNumber(KvJsp *p);  /* A digit, '.' or a sign; not JSON */
int kvJspReadJson(KvJsp *p);    /* A number of JSON */
int kvJspReadWord(KvJsp *p);    /* A word, or nothing that is known */
int kvJspReadRegexp(KvJsp *p);  /* '/' */
/*
** Length of the identifier at the cursor, or 0.
*/
u32 kvJspWordLength(KvJsp *p);

/*
** js_refs.c
*/

/* At a '<': read <ref *N>. */
int kvJsLabel(KvJsp *p);
/* The value behind <ref *N> is complete. */
int kvJsLabelled(KvJsp *p, KvJsFrame *pFrame);
/* Read the rest of [Circular *N], which starts at zAt. */
int kvJsCircular(KvJsp *p, const char *zAt);
/* The tree is complete, and node 0 the root, which was made as node iRoot: tie
** the REFs to their objects. */
int kvJsResolve(KvJsp *p, u32 iRoot);
void kvJsRefsClear(KvJsp *p);

/*
** js_call.c
*/

/* KV_CALL() of a name that may be called or constructed, or 0. */
int kvJsCallName(KvBytes name);

/*
** Evaluate a call: nArg arguments, linked from iArg on.  zAt is where errors
** are reported.  Leaves the result in p->iVal.
*/
int kvJsCall(KvJsp *p, int eCall, const char *zAt, u32 iArg, u32 nArg);

/*
** Drop the duplicates (SameValueZero) of a MAP's or SET's n entries: the last
** value at the first one's place.  -0 becomes 0.
*/
int kvJsUnique(KvJsp *p, u32 iNode);

/*
** Give ARRAY iArr nPair more pairs, linked from iPair on and in the order of
** the text: indices of existing elements replace them.
*/
int kvJsArrayPairs(KvJsp *p, const char *zAt, u32 iArr, u32 iPair, u32 nPair);

/* ToString() of a primitive node as a STRING node; KV_NO_NODE if it is none. */
u32 kvJsToString(KvJsp *p, u32 iNode);
/* ToNumber() of a primitive node.  False if it is none (or a bigint). */
int kvJsToNumber(const KvNode *pNode, double *pr);

/* js_view.c: new X() for the views and ArrayBuffer; see kvJsCall(). */
int kvJsCallView(KvJsp *p, int eView, const char *zAt, u32 iArg, u32 nArg);
int kvJsCallBuffer(KvJsp *p, const char *zAt, u32 iArg, u32 nArg);
/* A VIEW of all of BUFFER iBuf -> p->iVal. */
int kvJsWhole(KvJsp *p, int eView, u32 iBuf);
/* Object.assign() to a view: the pairs or elements of iSource. */
int kvJsAssignView(KvJsp *p, const char *zAt, u32 iView, u32 iSource);
/*
** When `[1,2,3]` at the cursor is nothing but integers up to 255: read it as
** a Uint8Array -> p->iVal and return 1.  Otherwise 0, and nothing is consumed.
** -1 after an error.
*/
int kvJsPlainBytes(KvJsp *p);

#endif /* KV_JS_CALL_H */
