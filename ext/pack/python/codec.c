/*
** codec.c -- the module sqlite_kv._codec: values and keys of Python in C, by the
** codecs of the extension.
**
**   loads(raw) -> value            dumps(value) -> raw
**   row(cursor, (bytes,)) -> value, of a value in V8's format without the byte of encoding
**   key_parts(bytes) -> tuple      key_text(tuple) -> str
**   key_bytes(tuple) -> bytes, of strings and whole numbers only; else None
**   use(module)                    sqlite_kv._fast, which has what it calls
**
** They do what the functions of the same names in Python do (_values.py, _keys.py),
** for the kinds that most values consist of.  Whatever is rare, refused, malformed or
** an instance of a subclass is handed to those, from the beginning: one place says
** what becomes of it.  So nothing here raises an exception of its own.
**
** Neither direction is recursive.  Only the limited API of Python 3.10 is called, so
** that one library is for all versions since.
*/
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include "bytes/map.h"
#include "codec/key/key_bytes.h"
#include "codec/num/num.h"
#include "codec/stored.h"
#include "codec/v8/v8_write.h"
#include "codec/value_order.h"
#include "codec/view.h"

#define CODEC_MAX_SAFE 9007199254740991

/* What is taken from Python, in the order of codecNames. */
enum {
  CODEC_LOADS, CODEC_LOADS_V8, CODEC_DUMPS, CODEC_PARTS, CODEC_TEXT, CODEC_BIGINT, CODEC_UNDEFINED,
  CODEC_SET_OF, CODEC_ORDERED, CODEC_FROM_MS, CODEC_TO_MS, CODEC_DATETIME, CODEC_COUNT
};
static const char *const codecNames[CODEC_COUNT] = {
  "loads", "loads_v8", "dumps", "key_parts", "key_text", "BigInt", "undefined",
  "set_of", "ordered", "from_ms", "to_ms", "datetime"
};
static PyObject *codecPy[CODEC_COUNT];

/* The tree of the last call, whose memory the next one uses. */
static KvTree codecTree;
static int codecBusy;

/* A tree that no other call uses.  pOwn is for the case that another thread, or a call
** further up, has the common one. */
static KvTree *codecTreeGet(KvTree *pOwn){
  if( codecBusy ){
    kvTreeInit(pOwn);
    return pOwn;
  }
  codecBusy = 1;
  return &codecTree;
}
static void codecTreePut(KvTree *p){
  if( p==&codecTree ){
    kvTreeReset(p);
    codecBusy = 0;
  }else{
    kvTreeClear(p);
  }
}

/* Call a function of Python's. */
static PyObject *codecCall(int eWhich, PyObject *pArg){
  if( codecPy[eWhich]==0 ){
    PyErr_SetString(PyExc_RuntimeError, "sqlite_kv._codec: use() was not called");
    return 0;
  }
  return PyObject_CallFunctionObjArgs(codecPy[eWhich], pArg, NULL);
}

/* The same after whatever failed here. */
static PyObject *codecRetreat(int eWhich, PyObject *pArg){
  PyErr_Clear();
  return codecCall(eWhich, pArg);
}

/*************************************************************************
** Reading
*/

/* An open container: what becomes of its children. */
typedef struct CodecFrame CodecFrame;
struct CodecFrame {
  PyObject *pInto;        /* A list or a dict */
  PyObject *pKey;         /* Of the pair whose value is being read */
  u32 iNext;              /* The next child */
  u32 i;                  /* Elements so far */
  u8 eKind;               /* KV_OBJECT, KV_ARRAY or KV_SET */
};
#define CODEC_FRAMES 32

typedef struct CodecReader CodecReader;
struct CodecReader {
  const KvTree *p;
  u32 nFrame, nFrameAlloc;
  CodecFrame *aFrame;
  CodecFrame aSpace[CODEC_FRAMES];
};

static PyObject *codecString(const KvNode *pNode){
  const char *z = (const char*)pNode->u.p;
  int eOrder = -1;
  if( pNode->eSub==KV_LATIN1 ) return PyUnicode_DecodeLatin1(z, pNode->n, "strict");
  if( pNode->eSub==KV_UTF16 ) return PyUnicode_DecodeUTF16(z, pNode->n, "surrogatepass", &eOrder);
  return PyUnicode_DecodeUTF8(z, pNode->n, "surrogatepass");
}

/* Names of properties that were read lately: as the objects of a store have the same
** ones, most needn't be made, nor hashed by the dict, again. */
#define CODEC_NAMES 256
static struct { PyObject *pStr; u8 n, a[31]; } codecName[CODEC_NAMES];

static PyObject *codecPropertyName(const KvNode *pNode){
  u32 h = pNode->n, i;
  PyObject *pStr;
  if( pNode->eSub!=KV_LATIN1 || pNode->n>sizeof(codecName[0].a) ) return codecString(pNode);
  for(i=0; i<pNode->n; i++) h = h*31 + pNode->u.p[i];
  i = h % CODEC_NAMES;
  pStr = codecName[i].pStr;
  if( pStr==0 || codecName[i].n!=pNode->n || memcmp(codecName[i].a, pNode->u.p, pNode->n)!=0 ){
    pStr = codecString(pNode);
    if( pStr==0 ) return 0;
    Py_XDECREF(codecName[i].pStr);
    codecName[i].pStr = pStr;
    codecName[i].n = (u8)pNode->n;
    memcpy(codecName[i].a, pNode->u.p, pNode->n);
  }
  Py_INCREF(pStr);
  return pStr;
}

/* Whole numbers are int, but for -0. */
static PyObject *codecNumber(double r){
  if( r>=-CODEC_MAX_SAFE && r<=CODEC_MAX_SAFE && r==(double)(i64)r
   && (r!=0 || kvDoubleToBits(r)==0)
  ){
    return PyLong_FromLongLong((i64)r);
  }
  return PyFloat_FromDouble(r);
}

/* A bigint of up to 64 bits. */
static PyObject *codecBigint(const KvNode *pNode){
  u64 u = kvNodeU64(pNode);
  PyObject *pInt, *pRes;
  if( pNode->n>8 ) return 0;
  pInt = PyLong_FromUnsignedLongLong(u);
  if( pInt && pNode->eSub && u ){
    pRes = PyNumber_Negative(pInt);
    Py_DECREF(pInt);
    pInt = pRes;
  }
  if( pInt==0 || u>CODEC_MAX_SAFE ) return pInt;
  pRes = codecCall(CODEC_BIGINT, pInt);
  Py_DECREF(pInt);
  return pRes;
}

static PyObject *codecDate(double ms){
  PyObject *pMs = PyFloat_FromDouble(ms), *pRes;
  if( pMs==0 ) return 0;
  pRes = codecCall(CODEC_FROM_MS, pMs);
  Py_DECREF(pMs);
  return pRes;
}

/* A Uint8Array over a whole buffer of its own. */
static PyObject *codecView(const KvTree *p, const KvNode *pNode){
  const KvNode *pBuffer = &p->aNode[pNode->iChild];
  if( pNode->eSub!=KV_VIEW_U8 || pBuffer->eKind!=KV_BUFFER || pBuffer->eSub!=KV_BUF_FIXED
   || pNode->n!=pBuffer->n
  ){
    return 0;
  }
  return PyBytes_FromStringAndSize((const char*)pBuffer->u.p, pBuffer->n);
}

/* A value without children, as a new reference; 0 for what Python is to do. */
static PyObject *codecLeaf(const KvTree *p, const KvNode *pNode){
  switch( pNode->eKind ){
    case KV_STRING:     return codecString(pNode);
    case KV_NUMBER:     return codecNumber(pNode->u.r);
    case KV_BOOL:       return PyBool_FromLong((long)pNode->n);
    case KV_NULL:       Py_INCREF(Py_None);  return Py_None;
    case KV_UNDEFINED:  Py_XINCREF(codecPy[CODEC_UNDEFINED]);  return codecPy[CODEC_UNDEFINED];
    case KV_BIGINT:     return codecBigint(pNode);
    case KV_DATE:       return codecDate(pNode->u.r);
    case KV_VIEW:       return codecView(p, pNode);
    default:            return 0;
  }
}

/* Open a container.  False: it is of a kind that Python is to read, or no memory. */
static int codecOpen(CodecReader *r, const KvNode *pNode){
  PyObject *pInto;
  CodecFrame *pFrame;
  if( pNode->eKind==KV_OBJECT ){
    pInto = PyDict_New();
  }else if( pNode->eKind==KV_SET
   || (pNode->eKind==KV_ARRAY && pNode->n==pNode->u.c.nElem && pNode->u.c.nPair==0)
  ){
    pInto = PyList_New(pNode->n);
  }else{
    return 0;
  }
  if( pInto==0 ) return 0;
  if( r->nFrame>=r->nFrameAlloc ){
    CodecFrame *aNew = kvStackGrow(r->aFrame, r->aSpace, &r->nFrameAlloc, sizeof(CodecFrame));
    if( aNew==0 ){
      Py_DECREF(pInto);
      return 0;
    }
    r->aFrame = aNew;
  }
  pFrame = &r->aFrame[r->nFrame++];
  pFrame->pInto = pInto;
  pFrame->pKey = 0;
  pFrame->iNext = pNode->iChild;
  pFrame->i = 0;
  pFrame->eKind = pNode->eKind;
  return 1;
}

/* Put a value, which is consumed, into the innermost container. */
static int codecPut(CodecFrame *pFrame, PyObject *pValue){
  int rc;
  if( pFrame->eKind!=KV_OBJECT ) return PyList_SetItem(pFrame->pInto, pFrame->i++, pValue)==0;
  rc = PyDict_SetItem(pFrame->pInto, pFrame->pKey, pValue)==0;
  Py_DECREF(pFrame->pKey);
  pFrame->pKey = 0;
  Py_DECREF(pValue);
  return rc;
}

/* The key of the next pair of an object. */
static PyObject *codecKey(const KvNode *pNode){
  PyObject *pInt, *pRes;
  if( pNode->eKind==KV_STRING ) return codecPropertyName(pNode);
  pInt = PyLong_FromLongLong((i64)pNode->u.r);
  if( pInt==0 ) return 0;
  pRes = PyObject_Str(pInt);
  Py_DECREF(pInt);
  return pRes;
}

/* The last container is complete: take it off the stack. */
static PyObject *codecClose(CodecReader *r){
  CodecFrame *pFrame = &r->aFrame[--r->nFrame];
  PyObject *pRes = pFrame->pInto;
  if( pFrame->eKind==KV_SET ){
    pRes = codecCall(CODEC_SET_OF, pRes);
    Py_DECREF(pFrame->pInto);
  }
  return pRes;
}

/* The value of a tree, or 0. */
static PyObject *codecWalk(CodecReader *r){
  const KvNode *aNode = r->p->aNode;
  u32 iNode = 0;
  for(;;){
    const KvNode *pNode = &aNode[iNode];
    PyObject *pValue = 0;
    if( pNode->eKind==KV_OBJECT || pNode->eKind==KV_ARRAY || pNode->eKind==KV_SET ){
      if( !codecOpen(r, pNode) ) return 0;
    }else{
      pValue = codecLeaf(r->p, pNode);
      if( pValue==0 ) return 0;
    }
    for(;;){
      CodecFrame *pFrame;
      if( pValue ){
        if( r->nFrame==0 ) return pValue;
        if( !codecPut(&r->aFrame[r->nFrame-1], pValue) ) return 0;
      }
      pFrame = &r->aFrame[r->nFrame-1];
      iNode = pFrame->iNext;
      if( iNode ) break;
      pValue = codecClose(r);
      if( pValue==0 ) return 0;
    }
    if( r->aFrame[r->nFrame-1].eKind==KV_OBJECT ){
      PyObject *pKey = codecKey(&aNode[iNode]);
      if( pKey==0 ) return 0;
      r->aFrame[r->nFrame-1].pKey = pKey;
      iNode = aNode[iNode].iNext;
    }
    r->aFrame[r->nFrame-1].iNext = aNode[iNode].iNext;
  }
}

static PyObject *codecFromTree(const KvTree *p){
  CodecReader r;
  PyObject *pRes;
  if( p->nRef ) return 0;                         /* objects that must keep their identity */
  r.p = p;
  r.nFrame = 0;
  r.nFrameAlloc = CODEC_FRAMES;
  r.aFrame = r.aSpace;
  pRes = codecWalk(&r);
  while( r.nFrame ){
    r.nFrame--;
    Py_DECREF(r.aFrame[r.nFrame].pInto);
    Py_XDECREF(r.aFrame[r.nFrame].pKey);
  }
  if( r.aFrame!=r.aSpace ) kvFree(r.aFrame);
  return pRes;
}

/* A value in V8's format, or 0. */
static PyObject *codecV8(const char *a, Py_ssize_t n){
  KvTree own, *p = codecTreeGet(&own);
  PyObject *pRes = 0;
  if( kvValueRead(p, 1, kvBytes((const u8*)a, (u32)n), 0)==KV_OK ) pRes = codecFromTree(p);
  codecTreePut(p);
  return pRes;
}

/* The row factory of a cursor whose rows are one value in V8's format: its value. */
static PyObject *codecRow(PyObject *pSelf, PyObject *pArgs){
  PyObject *pCursor, *pRow, *pV, *pRes = 0;
  char *a;
  Py_ssize_t n;
  (void)pSelf;
  if( !PyArg_ParseTuple(pArgs, "OO", &pCursor, &pRow) ) return 0;
  pV = PyTuple_Check(pRow) && PyTuple_Size(pRow)==1 ? PyTuple_GetItem(pRow, 0) : pRow;
  if( PyBytes_CheckExact(pV) && PyBytes_AsStringAndSize(pV, &a, &n)==0 && n<=KV_MAX_BUF ) pRes = codecV8(a, n);
  return pRes ? pRes : codecRetreat(CODEC_LOADS_V8, pV);
}

static PyObject *codecLoads(PyObject *pSelf, PyObject *pRaw){
  char *a;
  Py_ssize_t n;
  PyObject *pRes = 0;
  (void)pSelf;
  if( PyBytes_CheckExact(pRaw) && PyBytes_AsStringAndSize(pRaw, &a, &n)==0 && n>=1 && n<=KV_MAX_BUF ){
    if( a[0]==1 ) pRes = codecV8(a + 1, n - 1);
    if( a[0]==3 ) pRes = PyBytes_FromStringAndSize(a + 1, n - 1);
  }
  return pRes ? pRes : codecRetreat(CODEC_LOADS, pRaw);
}

/*************************************************************************
** Writing
*/

/* An open container of Python's, whose children are being added to a node. */
typedef struct CodecSource CodecSource;
struct CodecSource {
  PyObject *pFrom;        /* A list, tuple or dict */
  Py_ssize_t i;           /* Position in it */
  u32 iNode, iLast;       /* The node, and its last child */
  u32 n;                  /* Items so far */
  u8 bIndex;              /* OBJECT: there may be a key that is an array index */
};

/* A date or a set is converted by code in Python, which may change what is being
** written, as may another thread meanwhile.  So whatever the tree or the stack points
** into is kept, and the items of each container are counted.  */
typedef struct CodecWriter CodecWriter;
struct CodecWriter {
  KvTree *p;
  KvMap seen;             /* Containers that others may refer to, by address */
  u32 nKept, nKeptAlloc;
  PyObject **apKept;      /* References */
  u32 nFrame, nFrameAlloc;
  CodecSource *aFrame;
  CodecSource aSpace[CODEC_FRAMES];
  PyObject *apSpace[4*CODEC_FRAMES];
};

static void codecWriterInit(CodecWriter *w, KvTree *p){
  w->p = p;
  memset(&w->seen, 0, sizeof(w->seen));
  w->nKept = w->nFrame = 0;
  w->nKeptAlloc = 4*CODEC_FRAMES;
  w->apKept = w->apSpace;
  w->nFrameAlloc = CODEC_FRAMES;
  w->aFrame = w->aSpace;
}

static void codecWriterClear(CodecWriter *w){
  kvMapClear(&w->seen);
  while( w->nKept ) Py_DECREF(w->apKept[--w->nKept]);
  if( w->apKept!=w->apSpace ) kvFree(w->apKept);
  if( w->aFrame!=w->aSpace ) kvFree(w->aFrame);
}

/* Keep an object until all is written. */
static int codecKeep(CodecWriter *w, PyObject *x){
  if( w->nKept>=w->nKeptAlloc ){
    PyObject **apNew = kvStackGrow(w->apKept, w->apSpace, &w->nKeptAlloc, sizeof(x));
    if( apNew==0 ) return 0;
    w->apKept = apNew;
  }
  Py_INCREF(x);
  w->apKept[w->nKept++] = x;
  return 1;
}

/* A node, linked as the next child of the innermost container.  0: no memory. */
static KvNode *codecAdd(CodecWriter *w, u8 eKind, u32 *pi){
  u32 i = kvTreeAdd(w->p, eKind);
  if( i==KV_NO_NODE ) return 0;
  if( w->nFrame ){
    CodecSource *pFrame = &w->aFrame[w->nFrame-1];
    if( pFrame->iLast ) w->p->aNode[pFrame->iLast].iNext = i;
    else w->p->aNode[pFrame->iNode].iChild = i;
    pFrame->iLast = i;
  }
  if( pi ) *pi = i;
  return &w->p->aNode[i];
}

static int codecAddString(CodecWriter *w, PyObject *pStr){
  Py_ssize_t n;
  const char *z = PyUnicode_AsUTF8AndSize(pStr, &n);
  KvNode *pNode;
  if( z==0 || n>KV_MAX_BUF/4 || !codecKeep(w, pStr) ) return 0;
  pNode = codecAdd(w, KV_STRING, 0);
  if( pNode==0 ) return 0;
  pNode->eSub = KV_WTF8;
  pNode->n = (u32)n;
  pNode->u.p = (const u8*)z;
  return 1;
}

static int codecAddInt(CodecWriter *w, PyObject *pInt){
  int bOver;
  u32 i;
  i64 v = PyLong_AsLongLongAndOverflow(pInt, &bOver);
  int bBig = v>CODEC_MAX_SAFE || v<-CODEC_MAX_SAFE;
  KvNode *pNode = bOver ? 0 : codecAdd(w, bBig ? KV_BIGINT : KV_NUMBER, &i);
  if( pNode==0 ) return 0;
  if( bBig ) return kvTreeBigint(w->p, i, v<0 ? 0-(u64)v : (u64)v, v<0)==KV_OK;
  pNode->u.r = (double)v;
  return 1;
}

/* A Date or float.  Sets have no -0. */
static int codecAddDouble(CodecWriter *w, u8 eKind, PyObject *pFloat){
  KvNode *pNode = codecAdd(w, eKind, 0);
  double r = PyFloat_AsDouble(pFloat);
  if( pNode==0 ) return 0;
  if( r==0 && w->nFrame && w->p->aNode[w->aFrame[w->nFrame-1].iNode].eKind==KV_SET ) r = 0;
  pNode->u.r = r;
  return 1;
}

static int codecAddDate(CodecWriter *w, PyObject *pDate){
  PyObject *pMs = codecCall(CODEC_TO_MS, pDate);
  int rc = pMs && codecAddDouble(w, KV_DATE, pMs);
  Py_XDECREF(pMs);
  return rc;
}

static int codecAddBytes(CodecWriter *w, PyObject *pBytes){
  char *a;
  Py_ssize_t n;
  KvNode *pNode, *pBuffer;
  u32 iView, iBuffer;
  if( PyBytes_AsStringAndSize(pBytes, &a, &n)<0 || n>KV_MAX_BUF/4 || !codecKeep(w, pBytes) ) return 0;
  if( codecAdd(w, KV_VIEW, &iView)==0 ) return 0;
  iBuffer = kvTreeAdd(w->p, KV_BUFFER);
  if( iBuffer==KV_NO_NODE ) return 0;
  pNode = &w->p->aNode[iView];
  pBuffer = &w->p->aNode[iBuffer];
  pNode->eSub = KV_VIEW_U8;
  pNode->iChild = iBuffer;
  pNode->n = pBuffer->n = (u32)n;
  pBuffer->u.p = (const u8*)a;
  return 1;
}

/* True if a container may have been met before.  One with a single reference is only
** where it is. */
static int codecMet(CodecWriter *w, PyObject *x){
  KvMapItem *pItem;
  if( Py_REFCNT(x)==1 ) return 0;
  pItem = kvMapAdd(&w->seen, kvBytes((const u8*)&x, sizeof(x)));
  if( pItem==0 || pItem->bFound ) return 1;
  pItem->bFound = 1;
  return 0;
}

/* The members of a set in the order in which they are written. */
static PyObject *codecMembers(CodecWriter *w, PyObject *pSet){
  PyObject *pList = codecCall(CODEC_ORDERED, pSet);
  int rc = pList!=0 && codecKeep(w, pList);
  Py_XDECREF(pList);
  return rc ? pList : 0;
}

/* Open a container. */
static int codecEnter(CodecWriter *w, PyObject *x, u8 eKind){
  KvNode *pNode;
  u32 iNode;
  Py_ssize_t n;
  if( codecMet(w, x) || !codecKeep(w, x) || (pNode = codecAdd(w, eKind, &iNode))==0 ) return 0;
  if( eKind==KV_SET && (x = codecMembers(w, x))==0 ) return 0;
  n = eKind==KV_OBJECT ? PyDict_Size(x) : eKind==KV_SET ? PyList_Size(x) : PySequence_Size(x);
  if( n<0 || n>0x7fffffff ) return 0;
  pNode = &w->p->aNode[iNode];
  pNode->n = (u32)n;
  if( eKind==KV_ARRAY ) pNode->u.c.nElem = (u32)n;
  if( w->nFrame>=w->nFrameAlloc ){
    CodecSource *aNew = kvStackGrow(w->aFrame, w->aSpace, &w->nFrameAlloc, sizeof(CodecSource));
    if( aNew==0 ) return 0;
    w->aFrame = aNew;
  }
  memset(&w->aFrame[w->nFrame], 0, sizeof(CodecSource));
  w->aFrame[w->nFrame].pFrom = x;
  w->aFrame[w->nFrame].iNode = iNode;
  w->nFrame++;
  return 1;
}

/* Add a value, or open it.  False: Python is to write it all. */
static int codecValue(CodecWriter *w, PyObject *x){
  KvNode *pNode;
  if( PyUnicode_CheckExact(x) ) return codecAddString(w, x);
  if( PyLong_CheckExact(x) ) return codecAddInt(w, x);
  if( PyDict_CheckExact(x) ) return codecEnter(w, x, KV_OBJECT);
  if( PyList_CheckExact(x) || PyTuple_CheckExact(x) ) return codecEnter(w, x, KV_ARRAY);
  if( x==Py_None ) return codecAdd(w, KV_NULL, 0)!=0;
  if( PyBool_Check(x) ){
    pNode = codecAdd(w, KV_BOOL, 0);
    if( pNode ) pNode->n = x==Py_True;
    return pNode!=0;
  }
  if( PyFloat_CheckExact(x) ) return codecAddDouble(w, KV_NUMBER, x);
  if( PyBytes_CheckExact(x) ) return codecAddBytes(w, x);
  if( (PyObject*)Py_TYPE(x)==codecPy[CODEC_DATETIME] ) return codecAddDate(w, x);
  if( (PyObject*)Py_TYPE(x)==(PyObject*)&PySet_Type ) return codecEnter(w, x, KV_SET);
  return 0;
}

/* The next child of the innermost container; 0 at its end. */
static PyObject *codecNext(CodecSource *pFrame){
  if( pFrame->i>=PyList_Size(pFrame->pFrom) ) return 0;
  return PyList_GetItem(pFrame->pFrom, pFrame->i++);
}
static PyObject *codecNextOfTuple(CodecSource *pFrame){
  if( pFrame->i>=PyTuple_Size(pFrame->pFrom) ) return 0;
  return PyTuple_GetItem(pFrame->pFrom, pFrame->i++);
}

/* The key and value of the next pair of a dict.  False: Python is to write it all. */
static int codecPair(CodecWriter *w, PyObject **ppValue){
  CodecSource *pFrame = &w->aFrame[w->nFrame-1];
  PyObject *pKey;
  const KvNode *pNode;
  *ppValue = 0;
  if( !PyDict_Next(pFrame->pFrom, &pFrame->i, &pKey, ppValue) ) return 1;
  if( !PyUnicode_CheckExact(pKey) || !codecAddString(w, pKey) ) return 0;
  pNode = &w->p->aNode[pFrame->iLast];
  if( pNode->n && pNode->u.p[0]>='0' && pNode->u.p[0]<='9' ) pFrame->bIndex = 1;
  return 1;
}

/* The innermost container is complete.  False: it has changed meanwhile, or no memory. */
static int codecLeave(CodecWriter *w){
  CodecSource *pFrame = &w->aFrame[--w->nFrame];
  KvNode *pNode = &w->p->aNode[pFrame->iNode];
  if( pFrame->n!=pNode->n ) return 0;
  if( !pFrame->bIndex ) return 1;
  return kvTreeOrderPairs(w->p, &pNode->iChild, &pNode->n, 0)==KV_OK;
}

static int codecToTree(CodecWriter *w, PyObject *pValue){
  if( !codecValue(w, pValue) ) return 0;
  while( w->nFrame ){
    CodecSource *pFrame = &w->aFrame[w->nFrame-1];
    PyObject *x = 0;
    if( w->p->aNode[pFrame->iNode].eKind==KV_OBJECT ){
      if( !codecPair(w, &x) ) return 0;
    }else{
      x = PyList_CheckExact(pFrame->pFrom) ? codecNext(pFrame) : codecNextOfTuple(pFrame);
    }
    if( x ) pFrame->n++;
    if( x ? !codecValue(w, x) : !codecLeave(w) ) return 0;
  }
  return 1;
}

/* The bytes with the byte of their encoding, or 0. */
static PyObject *codecStored(int eEncoding, const void *a, u32 n){
  PyObject *pRes = PyBytes_FromStringAndSize(0, (Py_ssize_t)n + 1);
  char *z = pRes ? PyBytes_AsString(pRes) : 0;
  if( z==0 ) return 0;
  z[0] = (char)eEncoding;
  if( n ) memcpy(&z[1], a, n);
  return pRes;
}

static PyObject *codecDumps(PyObject *pSelf, PyObject *pValue){
  CodecWriter w;
  KvTree own;
  KvBuf out;
  u8 aSpace[1000];
  PyObject *pRes = 0;
  (void)pSelf;
  if( PyBytes_CheckExact(pValue) && PyBytes_Size(pValue)<KV_MAX_BUF ){
    return codecStored(3, PyBytes_AsString(pValue), (u32)PyBytes_Size(pValue));
  }
  codecWriterInit(&w, codecTreeGet(&own));
  kvBufInit(&out, aSpace, sizeof(aSpace));
  if( codecToTree(&w, pValue) && kvV8Write(w.p, 15, &out, 0)==KV_OK && out.eErr==KV_OK ){
    pRes = codecStored(1, out.a, out.n);
  }
  kvBufClear(&out);
  codecTreePut(w.p);
  codecWriterClear(&w);
  return pRes ? pRes : codecRetreat(CODEC_DUMPS, pValue);
}

/*************************************************************************
** Keys
*/

/* Append a string as key text has it. */
static int codecQuote(KvBuf *pOut, PyObject *pStr){
  Py_ssize_t n, i;
  const char *z = PyUnicode_AsUTF8AndSize(pStr, &n);
  if( z==0 ) return 0;
  kvBufPut(pOut, '"');
  for(i=0; i<n; i++){
    u8 c = (u8)z[i];
    if( c<0x20 ) return 0;
    if( c=='"' || c=='\\' ) kvBufPut(pOut, '\\');
    kvBufPut(pOut, c);
  }
  kvBufPut(pOut, '"');
  return 1;
}

static int codecInteger(KvBuf *pOut, PyObject *pInt){
  int bOver, bNeg;
  i64 v = PyLong_AsLongLongAndOverflow(pInt, &bOver);
  char a[20];
  int i = sizeof(a);
  if( bOver || v>CODEC_MAX_SAFE || v<-CODEC_MAX_SAFE ) return 0;
  bNeg = v<0;
  if( bNeg ) v = -v;
  do{ a[--i] = (char)('0' + v%10); }while( v/=10 );
  if( bNeg ) a[--i] = '-';
  kvBufAppend(pOut, &a[i], sizeof(a) - (u32)i);
  return 1;
}

/* The stored bytes of a key, or None: then its text is to be used. */
static PyObject *codecKeyBytes(PyObject *pSelf, PyObject *pKey){
  KvBuf out;
  u8 aSpace[500];
  PyObject *pRes = 0;
  Py_ssize_t i, n, nStr;
  const char *z;
  int ok = PyTuple_CheckExact(pKey), bOver;
  (void)pSelf;
  n = ok ? PyTuple_Size(pKey) : 0;
  kvBufInit(&out, aSpace, sizeof(aSpace));
  for(i=0; i<n && ok; i++){
    PyObject *x = PyTuple_GetItem(pKey, i);
    if( PyUnicode_CheckExact(x) ){
      z = PyUnicode_AsUTF8AndSize(x, &nStr);
      ok = z!=0 && nStr<=KV_MAX_BUF;
      if( ok ) kvKeyPutString(&out, kvBytes((const u8*)z, (u32)nStr));
    }else if( PyLong_CheckExact(x) ){
      i64 v = PyLong_AsLongLongAndOverflow(x, &bOver);
      ok = !bOver && v<=CODEC_MAX_SAFE && v>=-CODEC_MAX_SAFE;
      kvKeyPutNumber(&out, (double)v);
    }else{
      ok = 0;
    }
  }
  if( ok && out.eErr==KV_OK ) pRes = PyBytes_FromStringAndSize((const char*)out.a, out.n);
  kvBufClear(&out);
  if( pRes ) return pRes;
  PyErr_Clear();
  Py_INCREF(Py_None);
  return Py_None;
}

static PyObject *codecKeyText(PyObject *pSelf, PyObject *pKey){
  KvBuf out;
  u8 aSpace[500];
  PyObject *pRes = 0;
  Py_ssize_t i, n;
  int ok;
  (void)pSelf;
  if( !PyTuple_CheckExact(pKey) ) return codecRetreat(CODEC_TEXT, pKey);
  n = PyTuple_Size(pKey);
  kvBufInit(&out, aSpace, sizeof(aSpace));
  kvBufPut(&out, '[');
  for(i=0, ok=1; i<n && ok; i++){
    PyObject *x = PyTuple_GetItem(pKey, i);
    if( i ) kvBufPut(&out, ',');
    if( PyUnicode_CheckExact(x) ) ok = codecQuote(&out, x);
    else if( PyLong_CheckExact(x) ) ok = codecInteger(&out, x);
    else if( x==Py_True ) kvBufLit(&out, "true");
    else if( x==Py_False ) kvBufLit(&out, "false");
    else ok = 0;
  }
  kvBufPut(&out, ']');
  if( ok && out.eErr==KV_OK ) pRes = PyUnicode_FromStringAndSize((const char*)out.a, out.n);
  kvBufClear(&out);
  return pRes ? pRes : codecRetreat(CODEC_TEXT, pKey);
}

/* A part of a key, or 0. */
static PyObject *codecPart(const KvPart *pPart){
  const char *z = (const char*)pPart->content.p;
  if( pPart->bEscaped || !pPart->bCanon ) return 0;
  switch( pPart->eType ){
    case KVP_STRING:  return PyUnicode_DecodeUTF8(z, pPart->content.n, "strict");
    case KVP_NUMBER:  return codecNumber(pPart->r);
    case KVP_BOOL:    return PyBool_FromLong(pPart->r!=0);
    case KVP_BYTES:   return PyBytes_FromStringAndSize(z, pPart->content.n);
    default:          return 0;
  }
}

static PyObject *codecKeyParts(PyObject *pSelf, PyObject *pStored){
  PyObject *apPart[8], *pRes = 0;
  KvBytes key;
  char *a;
  Py_ssize_t nKey;
  u32 i = 0;
  int n = 0, k, ok = 1;
  (void)pSelf;
  if( !PyBytes_CheckExact(pStored) || PyBytes_AsStringAndSize(pStored, &a, &nKey)<0 || nKey>KV_MAX_BUF ){
    return codecRetreat(CODEC_PARTS, pStored);
  }
  key = kvBytes((const u8*)a, (u32)nKey);
  while( ok && i<key.n ){
    KvPart part;
    ok = n<8 && kvPartRead(key, &i, &part, 0)==KV_OK && (apPart[n] = codecPart(&part))!=0;
    if( ok ) n++;
  }
  if( ok ) pRes = PyTuple_New(n);
  for(k=0; k<n; k++){
    if( pRes ) PyTuple_SetItem(pRes, k, apPart[k]);
    else Py_DECREF(apPart[k]);
  }
  return pRes ? pRes : codecRetreat(CODEC_PARTS, pStored);
}

/*************************************************************************
** The module
*/

static PyObject *codecUse(PyObject *pSelf, PyObject *pModule){
  int i;
  (void)pSelf;
  for(i=0; i<CODEC_COUNT; i++){
    PyObject *x = PyObject_GetAttrString(pModule, codecNames[i]);
    if( x==0 ) return 0;
    Py_XDECREF(codecPy[i]);
    codecPy[i] = x;
  }
  Py_INCREF(Py_None);
  return Py_None;
}

static PyMethodDef codecMethods[] = {
  { "loads", codecLoads, METH_O, "The Python value of a stored value." },
  { "row", codecRow, METH_VARARGS, "The row factory for values in V8's format." },
  { "dumps", codecDumps, METH_O, "The stored value of a Python value." },
  { "key_text", codecKeyText, METH_O, "The key text of a tuple." },
  { "key_bytes", codecKeyBytes, METH_O, "The stored bytes of a tuple of str and int, or None." },
  { "key_parts", codecKeyParts, METH_O, "The tuple of stored bytes." },
  { "use", codecUse, METH_O, "Take the functions for whatever is rare from a module." },
  { NULL, NULL, 0, NULL }
};

static struct PyModuleDef codecModule = {
  PyModuleDef_HEAD_INIT, "sqlite_kv._codec", "Values and keys in C.", -1, codecMethods, NULL, NULL, NULL, NULL
};

PyMODINIT_FUNC PyInit__codec(void){
  return PyModule_Create(&codecModule);
}
